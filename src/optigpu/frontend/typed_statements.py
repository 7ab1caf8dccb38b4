"""Statements that were typed before, so that an edit types what it changed alone.

A program of a script is edited many times between two checks. Its transformations need types, but no verdict rests on those: what
is checked is typed from the start (`Session.result`).
"""

from __future__ import annotations

from optigpu.light_dataclass import dataclass
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import Assert, Block, For, Ghost, GhostEnd, If, Stmt, Store
from optigpu.syntax.scopes import Binding, Scope
from optigpu.syntax.walk import inner_bodies, stmt_exprs

MAX_STATEMENTS = 50_000  # remembered


@dataclass(frozen=True, slots=True)
class _Typed:
    """A typed statement, and what the names in it meant."""

    statement: Stmt
    bindings: dict[str, Binding | None]


class TypedStatements:
    """Typed statements by their identity. Those with annotations are typed each time: they depend on more than their names."""

    def __init__(self) -> None:
        self._typed: dict[int, _Typed] = {}
        self._names: dict[int, tuple[Stmt, frozenset[str] | None]] = {}

    def __contains__(self, s: object) -> bool:
        known = self._typed.get(id(s))
        return known is not None and known.statement is s

    def is_typed(self, s: Stmt, scope: Scope) -> bool:
        """Is this statement the result of typing, where its names meant what they mean in this scope?"""
        known = self._typed.get(id(s))
        return (
            known is not None
            and known.statement is s
            and all(_same(scope.find(name), b) for name, b in known.bindings.items())
        )

    def add(self, s: Stmt, scope: Scope) -> None:
        """Remember a typed statement that declares nothing in the scope."""
        if len(self._names) > MAX_STATEMENTS:
            self._typed.clear()
            self._names.clear()
        names = self._names_of(s)
        if names is not None and isinstance(s, For | If | Block | Store):
            self._typed[id(s)] = _Typed(s, {name: scope.find(name) for name in names})

    def _names_of(self, s: Stmt) -> frozenset[str] | None:
        """The names in a statement; None if it has annotations."""
        known = self._names.get(id(s))
        if known is None or known[0] is not s:
            known = self._names[id(s)] = s, self._found_names(s)
        return known[1]

    def _found_names(self, s: Stmt) -> frozenset[str] | None:
        if isinstance(s, Ghost | GhostEnd | Assert) or (isinstance(s, For) and s.contract):
            return None
        names = {name for e in stmt_exprs(s) for name in free_vars(e)}
        for inner in (x for body in inner_bodies(s) for x in body):
            found = self._names_of(inner)
            if found is None:
                return None
            names |= found
        return frozenset(names)


def _same(a: Binding | None, b: Binding | None) -> bool:
    return a is b or (a is not None and b is not None and (a.kind, a.type, a.flat) == (b.kind, b.type, b.flat))
