"""Facts of contracts with definitions unfolded, and with quantifiers over integers bounded by ranges where possible."""

from __future__ import annotations

from collections.abc import Mapping

from optigpu.syntax.conditions import MIRRORED, conjuncts
from optigpu.syntax.exprs import (
    BigOp,
    Binary,
    Call,
    Expr,
    Forall,
    Int,
    ProofType,
    Range,
    RangeBinder,
    Var,
    is_int,
)
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.macro_constants import constants_of
from optigpu.syntax.program import Function, LogicDef, Program, logical_variables
from optigpu.syntax.substitution import substitute
from optigpu.syntax.types import LOGIC_INT, PROP
from optigpu.syntax.walk import map_children

ExprBounds = tuple[Expr | None, Expr | None]  # the first value, and the first one beyond the end


def definitions_of(program: Program) -> dict[str, Expr]:
    """The value of each `__DEF`, without other definitions and macros in it."""
    values: dict[str, Expr] = dict(constants_of(program))
    out: dict[str, Expr] = {}
    for d in program.flat_items():
        if isinstance(d, LogicDef):
            out[d.name] = values[d.name] = substitute(d.value, values)
    return out


def visible_definitions(f: Function, definitions: Mapping[str, Expr]) -> dict[str, Expr]:
    """The definitions visible in the contract of f: those that no parameter or logical variable shadows."""
    shadowing = {p.name for p in f.params} | logical_variables(f.contract).keys()
    return {n: e for n, e in definitions.items() if n not in shadowing}


def unfolded(e: Expr, definitions: Mapping[str, Expr]) -> Expr:
    """The same fact without definitions, and with `forall k in lo..hi` for a `forall` whose hypotheses bound its variables."""
    used = {n: v for n, v in definitions.items() if n in free_vars(e)}
    return with_bounded_quantifiers(substitute(e, used) if used else e)


def with_bounded_quantifiers(e: Expr) -> Expr:
    """The same formula with bounded quantifiers, and with `lo <= x && x < hi` for `in_range(x, lo..hi)`."""
    e = map_children(e, with_bounded_quantifiers)
    match e:
        case Forall():
            return _in_ranges(e)
        case Call("in_range", (x, Range(low, high))):
            above = Binary("<=", low, x, type=PROP)
            return Binary("&&", above, Binary("<", x, high, type=PROP), loc=e.loc, type=PROP)
        case _:
            return e


def _in_ranges(e: Forall) -> Expr:
    """`forall (i: int) (h: 0 <= i && i < n) -> P` as `forall i in 0..n -> 0 <= i && i < n ==> P`. A range may be wider than the
    hypotheses, because they all stay. If a variable has no bounds, the quantifier stays as it is."""
    names = [p.name for p in e.params if not isinstance(p.type, ProofType)]
    if not all(is_int(p.type) for p in e.params if not isinstance(p.type, ProofType)) or len(set(names)) < len(names):
        return e
    hypotheses = [p.type.prop for p in e.params if isinstance(p.type, ProofType)]
    body = e.body
    while isinstance(body, Binary) and body.op == "==>":
        hypotheses, body = [*hypotheses, body.left], body.right
    bounds: dict[str, ExprBounds] = dict.fromkeys(names, (None, None))
    for _ in names:  # a bound may be another variable, whose own bounds are found in an earlier round
        for h in (c for hypothesis in hypotheses for c in conjuncts(hypothesis)):
            for name, low, high in _bounds(h, names, bounds):
                old = bounds[name]
                bounds[name] = (old[0] or low, old[1] or high)
    binders: list[RangeBinder] = []
    for name in names:
        low, high = bounds[name]
        if low is None or high is None:
            return e
        binders.append(RangeBinder(name, Range(low, high), e.loc))
    for h in reversed(hypotheses):
        body = Binary("==>", h, body, type=PROP)
    return BigOp("All", tuple(binders), body, loc=e.loc, type=PROP)


def _bounds(h: Expr, names: list[str], bounds: Mapping[str, ExprBounds]) -> list[tuple[str, Expr | None, Expr | None]]:
    """The bounds that a hypothesis `lo <= i`, `i < hi` or `i == e` gives to variables: the name, the first value, the end."""
    match h:
        case Binary(op, left, right) if op in MIRRORED and is_int(left.type) and is_int(right.type):
            out: list[tuple[str, Expr | None, Expr | None]] = []
            for x, relation, other in ((left, op, right), (right, MIRRORED[op], left)):
                if isinstance(x, Var) and x.name in names:
                    least = _outside(other, names, bounds, 0)
                    most = _outside(other, names, bounds, 1)
                    within = isinstance(other, Var) and other.name in names  # which is itself less than `most`
                    last = most if relation == "<" or within else _plus_one(most)
                    first = _plus_one(least) if relation == ">" else least
                    out.append((x.name, first if relation in (">", ">=", "==") else None,
                                last if relation in ("<", "<=", "==") else None))  # fmt: skip
            return out
        case _:
            return []


def _outside(e: Expr, names: list[str], bounds: Mapping[str, ExprBounds], side: int) -> Expr | None:
    """A bound without quantified variables: `e` itself, or, if `e` is a quantified variable, its own bound on that side."""
    if isinstance(e, Var) and e.name in names:
        return bounds[e.name][side]
    return None if free_vars(e) & set(names) else e


def _plus_one(e: Expr | None) -> Expr | None:
    return None if e is None else Binary("+", e, Int(1, type=LOGIC_INT), type=LOGIC_INT)
