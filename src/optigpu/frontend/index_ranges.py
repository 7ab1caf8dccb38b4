"""Ranges that a `forall` leaves out: its variables are indices of the array that holds the function they are applied to.

With `a ~> Matrix2(n, m, A)`, `forall i k, k > i -> A(i, k) == 0` is `forall i in 0..n, k in 0..m, k > i -> A(i, k) == 0`: outside
of the array A has no values. This holds for variables without a type, where each conjunct of the conclusion has such an application
that is not under a condition. So a formula that has a value for all integers keeps its meaning: its hypotheses give the range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from optigpu.light_dataclass import replace
from optigpu.syntax.builtins import matrix_predicate
from optigpu.syntax.conditions import conjuncts
from optigpu.syntax.exprs import (
    BigOp,
    Binary,
    Call,
    Expr,
    Forall,
    Int,
    PointsTo,
    Range,
    RangeBinder,
    TypeOf,
    Unary,
    Var,
)
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import Clause

BEFORE = ("consumes", "preserves", "reads")  # clauses of the precondition that claim memory

Sizes = Mapping[str, tuple[Expr, ...]]  # of the array that holds a logical function


def held_functions(contract: tuple[Clause, ...]) -> Sizes:
    """The logical functions that one array of the precondition holds, `a ~> Matrix2(n, m, A)`, with its sizes."""
    claims = [i.body for c in contract if c.kind in BEFORE for i in c.items if not isinstance(i.body, TypeOf)]
    out: dict[str, tuple[Expr, ...]] = {}
    for claim in claims:
        match claim:
            case PointsTo(_, "~>", Call(name, (*_, Var(f))) as call):
                m = matrix_predicate(name)
                if m is not None and m.contents == "values" and sum(f in free_vars(c) for c in claims) == 1:
                    out[f] = call.args[: m.rank]
            case _:
                pass
    return out


def with_ranges(e: Forall, sizes: Sizes, is_plain: Callable[[str], bool]) -> Expr | None:
    """The formula with the ranges that it leaves out, or None. `is_plain`: does a name mean what it means in the contract?"""
    names = {p.name for p in e.params}
    visible = {
        f: dims
        for f, dims in sizes.items()
        if all(is_plain(x) and x not in names for x in {f}.union(*(free_vars(d) for d in dims)))
    }
    conclusion = e.body
    while isinstance(conclusion, Binary) and conclusion.op == "==>":
        conclusion = conclusion.right
    indices = [_indices(c, visible) for c in conjuncts(conclusion)]
    ranged = [p for p in e.params if p.type is None and all(p.name in found for found in indices)]
    if not ranged:
        return None
    binders = []
    for p in ranged:
        size = indices[0][p.name]
        binders.append(RangeBinder(p.name, Range(Int(0, loc=size.loc), size, loc=size.loc), p.loc))
    inner = BigOp("All", tuple(binders), e.body, loc=e.loc)
    others = tuple(p for p in e.params if p not in ranged)
    return replace(e, params=others, body=inner) if others else inner


def _indices(e: Expr, sizes: Sizes) -> dict[str, Expr]:
    """The names that are indices of held functions, with the sizes of these dimensions. The first application counts."""
    out: dict[str, Expr] = {}
    for call in _applications(e):
        for a, size in zip(call.args, sizes.get(call.func, ())):
            if isinstance(a, Var):
                out.setdefault(a.name, size)
    return out


def _applications(e: Expr) -> Iterator[Call]:
    """The applications that have to have a value wherever e has one."""
    match e:
        case Binary(op, left, right) if op not in ("&&", "||", "==>"):
            yield from _applications(left)
            yield from _applications(right)
        case Unary(arg=arg):
            yield from _applications(arg)
        case Call(args=args):
            yield e
            for a in args:
                yield from _applications(a)
        case _:
            pass
