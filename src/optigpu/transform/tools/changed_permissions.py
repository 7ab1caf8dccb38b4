"""Annotations that speak of an array or a variable: what they say it holds, and how that changes."""

from __future__ import annotations

from collections.abc import Callable

from optigpu.light_dataclass import dataclass, replace
from optigpu.script.kept_annotations import AnnotationChanges
from optigpu.syntax.exprs import Addr, Binder, Call, Expr, Fun, Group, Index, Int, PointsTo, Range, Var
from optigpu.syntax.free_names import expr_names, fresh_name
from optigpu.syntax.program import Assert, Body, Clause, For, Ghost, Stmt
from optigpu.syntax.substitution import substitute
from optigpu.syntax.walk import (
    contract_exprs,
    map_bodies,
    map_clauses,
    map_stmt_exprs,
    rewrite,
    root_name,
    statements,
    stmt_exprs,
    subexpressions,
)

PER_ITERATION = (
    "xconsumes",
    "xproduces",
    "xpreserves",
    "xwrites",
    "xreads",
)  # clauses about the cells of one iteration
CELL_CONTENTS = {"Cells": "Cell", "UninitMatrix": "UninitCell"}
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
    simplify: Callable[[Expr], Expr]

    def body(self, b: Body, changes: AnnotationChanges) -> Body:
        """Statements with their annotations changed; those that cannot be written are noted."""
        return tuple(new for s in b for new in self.statement(s, changes))

    def statement(self, s: Stmt, changes: AnnotationChanges) -> Body:
        if isinstance(s, Ghost | Assert):
            new = self.step(s)
            changes.dropped += [s] if new is None else []
            return () if new is None else (new,)
        if isinstance(s, For):
            contract = self.contract(s.contract)
            changes.incomplete |= {s.id} if len(contract) < len(s.contract) else set()
            s = replace(s, contract=contract)
        return (map_bodies(s, lambda b: self.body(b, changes)),)

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
        if changed is e:
            return e
        with_factor = substitute(changed, {FACTOR.name: self.factor})  # binders of names in the factor are renamed
        return rewrite(with_factor, self.simplified)

    def simplified(self, e: Expr) -> Expr:
        if isinstance(e, PointsTo) and e.arrow == "~~>" and holds_value(e, self.name):
            return replace(e, target=self.simplify(e.target))
        return e

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


def element_permissions(e: Expr, name: str) -> Expr:
    """A formula with permissions on the elements of an array instead of the whole: `for c0 in 0..n -> &a[c0] ~~> A(c0)`."""

    def elements(x: Expr) -> Expr:
        match x:
            case PointsTo(Var(array), "~>", Call(shape, args)) if array == name:
                kind = shape.rstrip("0123456789")
                if kind not in ("Matrix", "Cells", "UninitMatrix"):
                    return x
                sizes = args[:-1] if kind == "Matrix" else args
                taken = expr_names(x)
                names = [fresh_name(f"c{n}", taken) for n in range(len(sizes))]
                indices = tuple(map(Var, names))
                contents = PointsTo(Addr(Index(Var(name), indices)), "~>", Var(CELL_CONTENTS.get(kind, "Cell")))
                if kind == "Matrix":
                    value = substitute(Call("f ", indices), {"f ": args[-1]})
                    contents = replace(contents, arrow="~~>", target=value)
                body: Expr = replace(contents, space=x.space)
                for index, size in reversed(list(zip(names, sizes))):
                    body = Group(index, Range(Int(0), size), body)
                return body
            case _:
                return x

    return rewrite(e, elements)


def permission_names(e: Expr) -> set[str]:
    """The arrays and variables that a formula has permissions on; none if it is a fact."""
    return {root_name(x.pointer) for x in subexpressions(e) if isinstance(x, PointsTo)}
