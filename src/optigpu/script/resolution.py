"""From targets to paths of statements. No match, or more than were asked for, is an error that lists the candidates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches

from optigpu.light_dataclass import dataclass, replace
from optigpu.script import targets
from optigpu.script.editing import StatementPath, is_valid_path
from optigpu.script.handles import Handle, IfBranch, Place, find_statement, headline, region_inside
from optigpu.script.target_matching import matches, written_name
from optigpu.script.targets import Pattern, Target, TargetLike
from optigpu.syntax.diagnostic import Diagnostic, InputError, Label
from optigpu.syntax.free_names import body_free_vars
from optigpu.syntax.program import Decl, For, Program, Role, Stmt, Store
from optigpu.syntax.source import NOWHERE
from optigpu.syntax.walk import statements

# What a bare name means where a statement of a kind is wanted: the first of these that matches.
MEANINGS_OF_NAME: dict[str, tuple[Callable[[str], Target], ...]] = {
    "for": (targets.For,),
    "read": (targets.Read,),
    "decl": (targets.Decl,),
    "call": (targets.Call,),
    "write": (targets.Write, targets.For, targets.Decl, targets.Call),
    "any": (targets.For, targets.Decl, targets.Write, targets.Call),
}
KIND_WORDS = {
    "for": "loop",
    "write": "write",
    "read": "read",
    "decl": "declaration",
    "call": "call",
    "if": "if",
    "any": "statement",
}
MAX_CANDIDATES_SHOWN = 12


@dataclass(frozen=True, slots=True)
class SearchSpace:
    """Where targets are looked for: in functions of a program, and there inside all places of `within`."""

    program: Program
    functions: tuple[str, ...]
    within: tuple[Place, ...] = ()

    def matches(self, target: Target) -> list[tuple[StatementPath, Stmt]]:
        """The statements that fit a target, in program order."""
        regions = [region_inside(self.program, place, itself=True) for place in self.within]
        regions += [region_inside(self.program, target.inside)] if target.inside is not None else []
        names = self.functions if target.function is None else (target.function,)
        return [m for f in self.program.functions() if f.name in names for m in matches(target, f, regions)]

    @property
    def wording(self) -> str:
        return "".join(f" inside {place}" for place in self.within)


def resolve(space: SearchSpace, target: TargetLike, kind: str, many: bool = False) -> list[StatementPath]:
    """The statements that a target stands for; one, unless `many` or the target says `all`. A handle or a path is looked up in the
    whole program."""
    if isinstance(target, StatementPath):
        if not is_valid_path(space.program, target):
            help = "a handle stays good: s.handle(place)"
            raise _error("OG601", "this place is not in the program any more", help=help)
        return [target]
    if isinstance(target, Handle):
        return [find_statement(space.program, target.id)]
    if isinstance(target, IfBranch):
        help = "a statement of it: branch.body, branch.loops, branch / For(…)"
        raise _error("OG604", f"{target} is a branch, not a statement", help=help)
    if isinstance(target, str):
        target = _named(space, target, kind)
    if not isinstance(target, Target) or not target.well_formed:
        raise _error("OG604", f"{target!r} is not a target", help="a name, For(…), Write(…), …, or a handle")
    known = [f.name for f in space.program.functions()]
    if target.function is not None and target.function not in known:
        raise _error("OG601", f"there is no function `{target.function}`", help=f"functions: {', '.join(known)}")
    candidates = space.matches(target)
    if not candidates:
        raise _no_match(space, target)
    if target.which == "all" or many:
        return [path for path, _ in candidates]
    return [_chosen(target, candidates)]


def _chosen(target: Target, candidates: Sequence[tuple[StatementPath, Stmt]]) -> StatementPath:
    """The candidate that the target selects."""
    count = len(candidates)
    if isinstance(target.which, int):
        if not -count <= target.which < count:
            raise ambiguous("OG601", f"{target} asks for more than there are: {count}", candidates)
        return candidates[target.which][0]
    if count > 1:
        raise ambiguous("OG602", f"{target} is ambiguous: {count} places fit", candidates)
    return candidates[0][0]


def _named(space: SearchSpace, name: str, kind: str) -> Target:
    """The target that a bare name stands for."""
    if kind not in MEANINGS_OF_NAME:
        raise _error("OG604", f"{kind!r} is not a kind of statement", help=f"one of {', '.join(MEANINGS_OF_NAME)}")
    options = [make(name) for make in MEANINGS_OF_NAME[kind]]
    return next((t for t in options if space.matches(t)), options[0])


def _no_match(space: SearchSpace, target: Target) -> InputError:
    """The error when nothing fits: it lists the statements of the kind that was wanted, and suggests a name that is spelt alike."""
    last = target.chain[-1] if target.chain else Pattern("any")
    alone = replace(target, chain=(last,))
    candidates = space.matches(replace(target, chain=(replace(last, name=None, body=None),)))
    close = None
    named = [(p, s) for p, s in candidates if last.name is not None and _name_of(last.kind, s) == last.name]
    if last.body is not None and named and not space.matches(alone):
        # its body does not fit, wherever it is
        written = sorted({w for _, s in named for x in statements((s,)) if (w := written_name(x)) is not None})
        help_ = f"written there: {', '.join(written)}" if written else None
        message = f"no {KIND_WORDS[last.kind]} over `{last.name}` has {last.body} in it{space.wording}"
        return ambiguous("OG601", message, named, help_)
    if last.name is not None and not named:
        known = {_name_of(last.kind, s) for _, s in candidates} - {None}
        if last.kind == "read":
            known = {name for _, s in candidates for name in body_free_vars((s,))}
        close = get_close_matches(last.name, sorted(str(k) for k in known), 1)
    help_ = f"did you mean `{close[0]}`?" if close else None
    return ambiguous("OG601", f"no {KIND_WORDS[last.kind]} fits {target}{space.wording}", candidates, help_)


def _name_of(kind: str, s: Stmt) -> str | None:
    match s:
        case For(index) if kind == "for":
            return index
        case Decl(name):
            return name
        case Store():
            return written_name(s)
        case _:
            return None


def ambiguous(
    code: str, message: str, candidates: Sequence[tuple[StatementPath, Stmt]], help_: str | None = None
) -> InputError:
    """An error that lists candidates."""
    listed = candidates[:MAX_CANDIDATES_SHOWN]
    labels = tuple(Label(s.loc, f"{path.function}: {headline(s)}") for path, s in listed)
    if help_ is None and code == "OG602":
        help_ = "say which: .first, .nth(1), .last, .all, or For(…, body=…)"
    return InputError(Diagnostic(code, message, NOWHERE, labels, (), help_))


def _error(code: str, message: str, help: str | None = None) -> InputError:
    return InputError(Diagnostic(code, message, NOWHERE, (), (), help))


def searchable(program: Program) -> list[str]:
    """The functions in which targets are looked for: all but ghost functions."""
    return [f.name for f in program.functions() if f.role is not Role.GHOST]
