"""Big operators: sums, products, conjunctions and maxima over an integer range low <= i < high.

The body is under one binder, whose index is 0.
"""

from __future__ import annotations

from functools import partial

from optigpu.logic.terms.arithmetic import (
    EXPONENTIALS,
    add,
    coefficients,
    exponential,
    is_function,
    max_,
    mul,
    polynomial,
    scale,
    sub,
    to_real,
)
from optigpu.logic.terms.binders import instantiate, mentions_bound, shift
from optigpu.logic.terms.booleans import and_, conjuncts, ite, not_
from optigpu.logic.terms.core import (
    CONSTRUCTORS,
    INT,
    ONE,
    REAL,
    TRUE,
    ZERO,
    Monomial,
    Sort,
    Term,
    expect,
    interned,
    is_num,
    is_zero,
    num,
)


def big(op: str, low: Term, high: Term, body: Term, initial: Term | None = None) -> Term:
    """sum, prod or all of the body for low <= i < high; fold_max is the maximum of these values and of `initial`; argmax is the
    first index i with the greatest value, or low if there is none.

    A range that ends at max(low, h) ends at h, since both are empty if h is below low. An empty range gives the unit, a range of
    one index the body at that index. A conjunction inside `all` is split.
    """
    expect(INT, low, high)
    if high.op == "max" and low in high.args:
        high = max_(*(a for a in high.args if a is not low))
    if op == "fold_max":
        assert initial is not None
        return _fold_max(low, high, body, initial)
    size = sub(high, low)
    if op == "argmax":
        if not body.sort.numeric:
            raise TypeError("the greatest of something else than numbers")
        return low if is_num(size) and size.data <= 1 else interned(op, (low, high, body), INT)
    unit = TRUE if op == "all" else num(0 if op == "sum" else 1, body.sort)
    if expect(unit.sort, body) is unit or (is_num(size) and size.data <= 0):
        return unit
    if is_num(size) and size.data == 1:
        return instantiate(body, (low,))
    if op == "sum":
        return _sum(low, high, body)
    if op == "all" and body.op == "and":
        return and_(*(big(op, low, high, b) for b in body.args))
    return interned(op, (low, high, body), body.sort)


CONSTRUCTORS |= {op: partial(big, op) for op in ("sum", "prod", "all", "argmax")}
CONSTRUCTORS["fold_max"] = lambda initial, low, high, body: big("fold_max", low, high, body, initial)


def _fold_max(low: Term, high: Term, body: Term, initial: Term) -> Term:
    """fold_max of a range that does not end at max(low, …).

    If `initial` is the body at low - 1, the range begins at low - 1: that adds no index, or one whose value is `initial`.
    If `initial` is the body at low, only the indices from low + 1 on can give another value.
    """
    expect(body.sort, initial)
    others = low  # where the values begin that are not `initial`
    if instantiate(body, (low,)) is initial:
        others = add(low, ONE)
    elif instantiate(body, (sub(low, ONE),)) is initial:
        low = sub(low, ONE)
    left = sub(high, others)
    if is_num(left) and left.data <= 0:
        return initial
    if is_num(left) and left.data == 1:
        return max_(initial, instantiate(body, (others,)))
    return interned("fold_max", (initial, low, high, body), body.sort)


def _sum(low: Term, high: Term, body: Term) -> Term:
    """Linearity: a sum for each monomial of the body. Factors that do not depend on the index are moved out: of exp(x + y), too."""
    out: list[Term] = []
    for m, c in coefficients(body).items():
        inside, outside = _split_factors(m)
        out.append(scale(c, mul(num(1, body.sort), *outside, _sum_of_product(low, high, inside, body.sort))))
    return add(num(0, body.sort), *out)


def _split_factors(m: Monomial) -> tuple[list[Term], list[Term]]:
    """The factors of a product that depend on the index, and the others, without its binder; exp(x + y) is exp(x) * exp(y)."""
    factors = [x for a in m for x in (_split_exponent(a) if is_function(a, EXPONENTIALS) else (a,))]
    inside = [a for a in factors if mentions_bound(a, 0)]
    return inside, [shift(a, -1) for a in factors if not mentions_bound(a, 0)]


def _split_exponent(a: Term) -> tuple[Term, ...]:
    """exp(x + y) as exp(x) and exp(y), where x depends on the index and y does not."""
    f, exponent = a.args
    still = {m: c for m, c in coefficients(exponent).items() if not any(mentions_bound(x, 0) for x in m)}
    fixed = polynomial(still, exponent.sort)
    return (a,) if is_zero(fixed) else (exponential(f, sub(exponent, fixed)), exponential(f, fixed))


def _sum_of_product(low: Term, high: Term, factors: list[Term], sort: Sort) -> Term:
    """The sum of a product of atoms that depend on the index. Without factors it is the number of indices, max(0, high - low).

    A choice by a condition that does not depend on the index is moved out, also where it is a conjunct of a guard; any other choice
    becomes two guarded sums.
    """
    if not factors:
        count = max_(ZERO, sub(high, low))
        return to_real(count) if sort is REAL else count
    body = mul(num(1, sort), *factors)
    if body.op == "ite":
        c, a, b = body.args
        if not mentions_bound(c, 0):
            return ite(shift(c, -1), big("sum", low, high, a), big("sum", low, high, b))
        if not is_zero(b):
            zero = num(0, sort)
            return add(big("sum", low, high, ite(c, a, zero)), big("sum", low, high, ite(not_(c), b, zero)))
        fixed = [x for x in conjuncts(c) if not mentions_bound(x, 0)]
        if fixed:
            moving = and_(*(x for x in conjuncts(c) if mentions_bound(x, 0)))
            rest = big("sum", low, high, ite(moving, a, b))
            return ite(and_(*(shift(x, -1) for x in fixed)), rest, b)
        return _guarded_sum(low, high, c, a)
    elif body.op == "num" or (body.op == "poly" and (len(body.data) > 1 or body.data[0][1] != 1)):
        return _sum(low, high, body)
    return interned("sum", (low, high, body), sort)


def _guarded_sum(low: Term, high: Term, guard: Term, value: Term) -> Term:
    """The sum of `guard ? value : 0`: one for each monomial of the value, as without a guard."""
    zero, one = num(0, value.sort), num(1, value.sort)
    out: list[Term] = []
    for m, c in coefficients(value).items():
        inside, outside = _split_factors(m)
        body = ite(guard, mul(one, *inside), zero)
        alike = body.op == "ite" and body.args[0] is guard and body.args[2] is zero
        rest = interned("sum", (low, high, body), value.sort) if alike else big("sum", low, high, body)
        out.append(scale(c, mul(one, *outside, rest)))
    return add(zero, *out)
