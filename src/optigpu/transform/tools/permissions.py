"""Annotations that speak of an array or a variable: what they say it holds, and how that changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from optigpu.syntax.exprs import Binder, Call, Expr, Fun, PointsTo, Var
from optigpu.syntax.program import Assert, Body, Clause, For, Ghost
from optigpu.syntax.substitution import substitute
from optigpu.syntax.walk import (
    contract_exprs,
    map_clauses,
    map_stmt_exprs,
    rewrite,
    root_name,
    statements,
    stmt_exprs,
    subexpressions,
)

FACTOR = Var("factor ")  # stands for the factor: no name of a formula has a space


def annotations_on(body: Body, name: str) -> bool:
    """Is there an annotation that says what this array or variable holds?"""
    exprs = [
        e
        for s in statements(body)
        for e in (
            contract_exprs(s.contract) if isinstance(s, For) else stmt_exprs(s) if isinstance(s, Ghost | Assert) else []
        )
    ]
    return any(holds_value(x, name) for e in exprs for x in subexpressions(e))


def holds_value(e: Expr, name: str) -> bool:
    """Is this a permission on cells of an array or a variable that says what they hold?"""
    match e:
        case PointsTo(pointer, "~~>"):
            return root_name(pointer) == name
        case PointsTo(pointer, _, Call(shape)):
            return root_name(pointer) == name and shape.startswith("Matrix")
        case _:
            return False


@dataclass(frozen=True, slots=True)
class ChangedPermissions:
    """Annotations after a change of what an array or a variable holds: where it held v, it now holds `encode(v, factor)`.

    Without `factor`, since no formula says what it is, there is nothing to write instead.
    """

    name: str
    encode: Callable[[Expr, Expr], Expr]
    factor: Expr | None

    def contract(self, contract: tuple[Clause, ...]) -> tuple[Clause, ...]:
        """The clauses of a loop; those that cannot be written are left out."""
        if self.factor is None:
            return tuple(c for c in contract if not any(self.speaks_of(i.body) for i in c.items))
        return map_clauses(contract, self.formula)

    def step(self, s: Ghost | Assert) -> Ghost | Assert | None:
        """A ghost or an assertion; None if it cannot be written."""
        if self.factor is None:
            return None if any(map(self.speaks_of, stmt_exprs(s))) else s
        changed = map_stmt_exprs(s, self.formula)
        assert isinstance(changed, Ghost | Assert)
        return changed

    def speaks_of(self, e: Expr) -> bool:
        return any(holds_value(x, self.name) for x in subexpressions(e))

    def formula(self, e: Expr) -> Expr:
        assert self.factor is not None
        changed = rewrite(e, self.permission)
        return (
            e if changed is e else substitute(changed, {FACTOR.name: self.factor})
        )  # renames binders of names in the factor

    def permission(self, e: Expr) -> Expr:
        if not isinstance(e, PointsTo) or not holds_value(e, self.name):
            return e
        if e.arrow == "~~>":
            return replace(e, target=self.encode(e.target, FACTOR))
        assert isinstance(e.target, Call)
        *sizes, values = e.target.args
        return replace(e, target=replace(e.target, args=(*sizes, self.function(values, len(sizes)))))

    def function(self, f: Expr, rank: int) -> Expr:
        """`fun i -> encode(f(i), factor)`"""
        match f:
            case Fun(_, body):
                return replace(f, body=self.encode(body, FACTOR))
            case Var(name):
                binders = tuple(Binder(f"c{n}") for n in range(rank))
                return Fun(binders, self.encode(Call(name, tuple(Var(x.name) for x in binders)), FACTOR))
            case _:
                return f


def permission_names(e: Expr) -> set[str]:
    """The arrays and variables that a formula has permissions on; none if it is a fact."""
    return {root_name(x.pointer) for x in subexpressions(e) if isinstance(x, PointsTo)}
