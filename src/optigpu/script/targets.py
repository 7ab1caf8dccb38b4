"""Targets: statements by what a person would say. `For("bi") / Write("sum")` is a write of `sum` somewhere inside a loop over `bi`.

A transformation says what it works on (a loop, a declaration, …), so a bare name is enough where it is unambiguous: `"bi"` is the
loop over bi. No match, or more than wanted, is an error that lists the candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TypeAlias

from optigpu.script.editing import StatementPath, is_place, statements_of
from optigpu.script.handles import Handle, find_statement, headline
from optigpu.syntax import program as sp
from optigpu.syntax.diagnostic import Diagnostic, InputError, Label
from optigpu.syntax.exprs import Call as CallExpr
from optigpu.syntax.exprs import Index
from optigpu.syntax.exprs import Var as VarExpr
from optigpu.syntax.program import Mode, Program, Role, Stmt
from optigpu.syntax.source import NOWHERE
from optigpu.syntax.types import VOID
from optigpu.syntax.walk import root_name, stmt_exprs, subexpressions


@dataclass(frozen=True, slots=True)
class Pattern:
    """One link of a target: a kind of statement, a name, and what must be inside it."""

    kind: str  # for, write, read, decl, call, if, any
    name: str | None = None
    body: Target | None = None
    mode: Mode | None = None

    def __str__(self) -> str:
        inner = [f'"{self.name}"'] if self.name else []
        inner += [f"body={self.body}"] if self.body is not None else []
        return f"{self.kind.capitalize()}({', '.join(inner)})"


@dataclass(frozen=True, slots=True)
class Target:
    """A chain of patterns from the outside in, and which of the matches is meant."""

    chain: tuple[Pattern, ...]
    function: str | None = None
    which: int | str | None = (
        None  # a number from 0 (from the end if negative), "all", or None: there must be exactly one
    )
    side: str | None = None  # "before" or "after": the point, not the statement

    @property
    def well_formed(self) -> bool:
        """Are its parts what they should be? (Scripts are not type-checked.)"""
        return (
            all(isinstance(p.name, str | None) and isinstance(p.mode, Mode | None) for p in self.chain)
            and all(p.body is None or (isinstance(p.body, Target) and p.body.well_formed) for p in self.chain)
            and isinstance(self.function, str | None)
            and (self.which in (None, "all") or isinstance(self.which, int))
        )

    def __truediv__(self, inner: Target) -> Target:
        """`self`, and inside it `inner`."""
        if not isinstance(inner, Target):
            return NotImplemented
        return Target((*self.chain, *inner.chain), self.function, inner.which, inner.side)

    @property
    def first(self) -> Target:
        return replace(self, which=0)

    @property
    def last(self) -> Target:
        return replace(self, which=-1)

    def nth(self, n: int) -> Target:
        """The n-th match in program order, from 0; negative from the end."""
        return replace(self, which=n)

    @property
    def all(self) -> Target:
        return replace(self, which="all")

    @property
    def before(self) -> Target:
        return replace(self, side="before")

    @property
    def after(self) -> Target:
        return replace(self, side="after")

    def __str__(self) -> str:
        text = " / ".join(map(str, self.chain)) or f'In("{self.function}")'
        text += "" if self.side is None else f".{self.side}"
        if self.which is None:
            return text
        return f"{text}.{'all' if self.which == 'all' else f'nth({self.which})'}"


def For(index: str | None = None, *, body: Target | None = None, mode: Mode | None = None) -> Target:
    """A loop, by its index and, if several have it, by something in its body."""
    return Target((Pattern("for", index, body, mode),))


def Write(name: str | None = None) -> Target:
    """An assignment to a variable or an array."""
    return Target((Pattern("write", name),))


def Read(name: str | None = None) -> Target:
    """A statement that reads a variable or an array."""
    return Target((Pattern("read", name),))


def Decl(name: str | None = None) -> Target:
    """A declaration."""
    return Target((Pattern("decl", name),))


def Call(name: str | None = None) -> Target:
    """A statement that calls a function (`blocksync` too)."""
    return Target((Pattern("call", name),))


def If() -> Target:
    return Target((Pattern("if"),))


def In(function: str) -> Target:
    """Inside a function of the program: `In("f") / For("i")`."""
    return Target((), function)


TargetLike: TypeAlias = str | Target | Handle | StatementPath

# What a bare name means where a statement of a kind is wanted: the first of these that there is.
KINDS: dict[str, tuple[Callable[[str], Target], ...]] = {
    "for": (For,), "read": (Read,), "decl": (Decl,), "call": (Call,),
    "write": (Write, For, Decl, Call), "any": (For, Decl, Write, Call),
}  # fmt: skip
WORDS = {
    "for": "loop",
    "write": "write",
    "read": "read",
    "decl": "declaration",
    "call": "call",
    "if": "if",
    "any": "statement",
}


def written(s: Stmt) -> str | None:
    return root_name(s.target) if isinstance(s, sp.Store) else None


def reads(s: Stmt) -> set[str]:
    exprs = stmt_exprs(s)
    if isinstance(s, sp.Store):
        exprs = [s.value, *(s.target.indices if isinstance(s.target, Index) else ())]
        exprs += [s.target] if s.op is not None else []
    return {x.name for e in exprs for x in subexpressions(e) if isinstance(x, VarExpr)}


def calls(s: Stmt) -> set[str]:
    return {x.func for e in stmt_exprs(s) for x in subexpressions(e) if isinstance(x, CallExpr)}


def _is(pattern: Pattern, s: Stmt) -> bool:
    name = pattern.name
    match pattern.kind:
        case "for":
            fits = isinstance(s, sp.For) and name in (None, s.index) and pattern.mode in (None, s.mode)
        case "write":
            fits = isinstance(s, sp.Store) and name in (None, written(s))
        case "read":
            fits = not isinstance(s, sp.For) and (bool(reads(s)) if name is None else name in reads(s))
        case "decl":
            fits = isinstance(s, sp.Decl) and name in (None, s.name)
        case "call":
            fits = bool(calls(s)) if name is None else name in calls(s)
        case "if":
            fits = isinstance(s, sp.If)
        case _:
            fits = True
    if fits and pattern.body is not None:
        return bool(_inside(pattern.body, s))
    return fits


def _inside(target: Target, s: Stmt) -> bool:
    dummy = sp.Function("", (), VOID, (s,))
    return any(len(place.path) > 1 for place, _ in matches(target, dummy))


def matches(target: Target, f: sp.Function) -> list[tuple[StatementPath, Stmt]]:
    """All statements of a function that fit the chain, in program order."""
    out: list[tuple[StatementPath, Stmt]] = []
    chain = target.chain

    def positions(around: list[Stmt]) -> bool:
        """Do the statements around fit all patterns but the last, outermost first, with gaps?"""
        rest = list(chain[:-1])
        for s in around:
            if rest and _is(rest[0], s):
                rest.pop(0)
        return not rest

    by_place = dict(statements_of(f))
    for place, s in by_place.items():
        if not chain or (_is(chain[-1], s) and positions([by_place[a] for a in place.ancestors()])):
            out.append((place, s))
    return out


def resolve(
    program: Program, functions: Sequence[str], aim: TargetLike, kind: str, many: bool = False
) -> list[StatementPath]:
    """The places an aim stands for; one, unless `many` or the target says `all`."""
    if isinstance(aim, StatementPath):
        if not is_place(program, aim):
            raise _error(
                "OG601", "this place is not in the program any more", help="a handle stays good: s.handle(place)"
            )
        return [aim]
    if isinstance(aim, Handle):
        return [find_statement(program, aim.id)]
    if isinstance(aim, str):
        aim = _named(program, functions, aim, kind)
    if not isinstance(aim, Target) or not aim.well_formed:
        raise _error("OG604", f"{aim!r} is not a target", help="a name, For(…), Write(…), …, or a handle")
    names = functions if aim.function is None else (aim.function,)
    by_name = {f.name: f for f in program.functions()}
    if aim.function is not None and aim.function not in by_name:
        raise _error("OG601", f"there is no function `{aim.function}`", help=f"functions: {', '.join(by_name)}")
    found = [m for n in names if n in by_name for m in matches(aim, by_name[n])]
    if not found:
        raise _nothing(program, names, aim)
    if aim.which == "all" or many:
        return [place for place, _ in found]
    if isinstance(aim.which, int):
        if not -len(found) <= aim.which < len(found):
            raise ambiguous("OG601", f"{aim} asks for more than there are: {len(found)}", found)
        return [found[aim.which][0]]
    if len(found) > 1:
        raise ambiguous("OG602", f"{aim} is ambiguous: {len(found)} places fit", found)
    return [found[0][0]]


def _named(program: Program, functions: Sequence[str], name: str, kind: str) -> Target:
    if kind not in KINDS:
        raise _error("OG604", f"{kind!r} is not a kind of statement", help=f"one of {', '.join(KINDS)}")
    wanted = [f for f in program.functions() if f.name in functions]
    options = [make(name) for make in KINDS[kind]]
    return next((t for t in options if any(matches(t, f) for f in wanted)), options[0])


def _nothing(program: Program, names: Sequence[str], aim: Target) -> InputError:
    last = aim.chain[-1] if aim.chain else Pattern("any")
    similar = Target((replace(last, name=None, body=None),), aim.function)
    there = [m for f in program.functions() if f.name in names for m in matches(similar, f)]
    word = WORDS[last.kind]
    text = f"no {word} fits {aim}"
    close = None
    if last.name is not None:
        known = {_name_of(last.kind, s) for _, s in there} - {None}
        close = get_close_matches(last.name, sorted(str(k) for k in known), 1)
    help_ = f"did you mean `{close[0]}`?" if close else None
    return ambiguous("OG601", text, there, help_)


def _name_of(kind: str, s: Stmt) -> str | None:
    match s:
        case sp.For(index) if kind == "for":
            return index
        case sp.Decl(name):
            return name
        case sp.Store():
            return written(s)
        case _:
            return None


def ambiguous(
    code: str, message: str, found: Sequence[tuple[StatementPath, Stmt]], help_: str | None = None
) -> InputError:
    labels = tuple(Label(s.loc, f"{place.function}: {headline(s)}") for place, s in found[:12])
    if help_ is None and code == "OG602":
        help_ = "say which: .first, .nth(1), .last, .all, or For(…, body=…)"
    return InputError(Diagnostic(code, message, NOWHERE, labels, (), help_))


def _error(code: str, message: str, help: str | None = None) -> InputError:
    return InputError(Diagnostic(code, message, NOWHERE, (), (), help))


def searchable(program: Program) -> list[str]:
    return [f.name for f in program.functions() if f.role is not Role.GHOST]
