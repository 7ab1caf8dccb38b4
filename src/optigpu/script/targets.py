"""Targets: how a script says which statements it means. `For("bi") / Write("sum")` is a write of `sum` inside a loop over `bi`.

`handle / For("v")` is the loop over `v` in the statement of a handle. A transformation knows the kind of statement that it works on
(a loop, a declaration, …), so a bare name is enough where it is unambiguous: `"bi"` is the loop over bi.
"""

from __future__ import annotations

from typing import TypeAlias

from optigpu.light_dataclass import dataclass, replace
from optigpu.script.call_site import call_site
from optigpu.script.editing import StatementPath
from optigpu.script.handles import Handle, IfBranch, Place, refuse_name
from optigpu.syntax.diagnostic import Diagnostic, InputError
from optigpu.syntax.program import Mode


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
    which: int | str | None = None  # a number from 0 (negative from the end), "all", or None: there must be exactly one
    side: str | None = None  # "before" or "after": the point, not the statement
    inside: Place | None = None  # the statement, or branch of an `if`, that the whole chain is inside

    @property
    def well_formed(self) -> bool:
        """Are its parts of the right types? (Scripts are not type-checked.)"""
        return (
            all(isinstance(p.name, str | None) and isinstance(p.mode, Mode | None) for p in self.chain)
            and all(
                p.body is None or (isinstance(p.body, Target) and p.body.well_formed and p.body.inside is None)
                for p in self.chain
            )
            and isinstance(self.inside, Handle | IfBranch | None)
            and isinstance(self.function, str | None)
            and (self.which in (None, "all") or isinstance(self.which, int))
        )

    def __truediv__(self, inner: Target) -> Target:
        """`self`, and inside it `inner`."""
        if isinstance(inner, Handle | IfBranch) or (isinstance(inner, Target) and inner.inside is not None):
            message = "a handle is one statement already: it stands first in a target"
            raise InputError(Diagnostic("OG604", message, call_site().loc, help='handle / For("i") / Write("a")'))
        if not isinstance(inner, Target):
            refuse_name(inner)
            return NotImplemented
        return Target((*self.chain, *inner.chain), self.function, inner.which, inner.side, self.inside)

    def __rtruediv__(self, around: Place) -> Target:
        """`handle / self`: this target inside the statement of a handle, or inside a branch of an `if`."""
        if not isinstance(around, Handle | IfBranch):
            return NotImplemented
        if self.inside is not None:
            message = f"{self} is inside a handle already"
            raise InputError(Diagnostic("OG604", message, call_site().loc))
        return replace(self, inside=around)

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
        function = () if self.function is None else (f'In("{self.function}")',)
        text = " / ".join((*function, *map(str, self.chain)))
        text = text if self.inside is None else f"{self.inside} / {text}"
        text += "" if self.side is None else f".{self.side}"
        if self.which is None:
            return text
        words: dict[int | str, str] = {"all": "all", 0: "first", -1: "last"}
        return f"{text}.{words.get(self.which, f'nth({self.which})')}"

    def __repr__(self) -> str:
        return str(self)


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
    """A condition."""
    return Target((Pattern("if"),))


def In(function: str) -> Target:
    """Inside a function of the program: `In("f") / For("i")`."""
    return Target((), function)


TargetLike: TypeAlias = str | Target | Handle | StatementPath
