"""Scopes of names, and which local variables are memory cells."""

from __future__ import annotations

from dataclasses import field
from enum import Enum

from optigpu.light_dataclass import dataclass
from optigpu.syntax.exprs import Addr, Type, Var
from optigpu.syntax.program import Body, Decl, Store
from optigpu.syntax.source import NOWHERE, Loc
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import body_subexpressions, statements


class NameKind(Enum):
    """What a name in a scope stands for."""

    VALUE = "value"  # a scalar that is never assigned: a parameter, a loop index, a constant
    CELL = "variable"  # a scalar variable that is assigned: a memory cell
    ARRAY = "array"  # an array or a pointer, whose name always denotes the same memory
    LOGIC = "logical variable"
    FACT = "fact"
    FUNCTION = "function"


@dataclass(frozen=True, slots=True)
class Binding:
    kind: NameKind
    type: Type
    loc: Loc = NOWHERE
    flat: bool = False  # declared as a plain pointer, whatever sizes its contract gives it


@dataclass(slots=True)
class Scope:
    parent: Scope | None = None
    names: dict[str, Binding] = field(default_factory=dict)

    def find(self, name: str) -> Binding | None:
        return next(iter(self.find_all(name)), None)

    def find_all(self, name: str) -> list[Binding]:
        """The bindings of a name, innermost first: the visible one and those that it shadows."""
        out: list[Binding] = []
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                out.append(scope.names[name])
            scope = scope.parent
        return out

    def visible(self) -> list[str]:
        out: dict[str, None] = {}
        scope: Scope | None = self
        while scope is not None:
            out.update(dict.fromkeys(scope.names))
            scope = scope.parent
        return list(out)


def assigned_names(body: Body) -> set[str]:
    """Scalars that are assigned after their declaration, or whose address is taken, also in a formula."""
    stored = {s.target.name for s in statements(body) if isinstance(s, Store) and isinstance(s.target, Var)}
    pointed_to = {x.arg.name for x in body_subexpressions(body) if isinstance(x, Addr) and isinstance(x.arg, Var)}
    return stored | pointed_to


def is_cell(decl: Decl, assigned: set[str]) -> bool:
    """Whether a local is a memory cell: any scalar, unless it is initialised and never assigned, when its name stands for its
    value."""
    return isinstance(decl.type, Scalar) and (decl.init is None or (not decl.const and decl.name in assigned))
