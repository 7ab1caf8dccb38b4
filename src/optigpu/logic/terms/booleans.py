"""Booleans: comparisons, connectives and choices.

A comparison is one of a polynomial with 0. Negations are moved inwards, to equations and applications.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import gcd
from typing import Any

from optigpu.logic.terms.arithmetic import (
    EXPONENTIALS,
    add,
    coefficients,
    is_function,
    is_guarded,
    max_,
    min_,
    monomial_order,
    polynomial,
    scale,
    sub,
)
from optigpu.logic.terms.binders import instantiate
from optigpu.logic.terms.core import (
    BOOL,
    CONSTRUCTORS,
    FALSE,
    INT,
    ONE,
    TRUE,
    Term,
    constructor,
    expect,
    interned,
    is_zero,
    num,
)


def le(a: Term, b: Term) -> Term:
    """a <= b, as p <= 0."""
    return _compared("le", sub(a, b))


def lt(a: Term, b: Term) -> Term:
    """a < b, for integers as a + 1 <= b."""
    return le(add(a, ONE), b) if a.sort is INT else _compared("lt", sub(a, b))


def eq(a: Term, b: Term) -> Term:
    """Equality: of numbers as p = 0, of booleans as equivalence, of functions as an atom unless they are the same term."""
    if a is expect(a.sort, b):
        return TRUE
    if a.sort is BOOL:
        return or_(and_(a, b), and_(not_(a), not_(b)))
    return _compared("eq", sub(a, b)) if a.sort.numeric else interned("eqf", tuple(sorted((a, b))), BOOL)


def _with_zero(compare: Callable[[Term, Term], Term]) -> Callable[[Term], Term]:
    return lambda p: compare(p, num(0, p.sort))


CONSTRUCTORS |= {"eqf": eq, **{f.__name__: _with_zero(f) for f in (le, lt, eq)}}


def _compared(op: str, p: Term) -> Term:
    """p <= 0, p = 0 or (of reals) p < 0, with p divided by a positive number.

    Of integers p = g*q + c, that is the greatest common divisor g of the coefficients of monomials: p <= 0 is q + ceil(c / g) <= 0,
    and p = 0 is false unless g divides c. Of reals it is the absolute value of the first coefficient. An equation is also
    divided by -1 if its first coefficient is negative.
    """
    cs = coefficients(p)
    c0 = cs.pop((), 0)
    if not cs:
        return TRUE if {"le": c0 <= 0, "lt": c0 < 0, "eq": c0 == 0}[op] else FALSE
    first = cs[min(cs, key=monomial_order)]
    g: Any = gcd(*cs.values()) if p.sort is INT else abs(Fraction(first))
    if op == "eq" and p.sort is INT and c0 % g:
        return FALSE
    if op == "eq" and first < 0:
        g = -g
    if g == 1:
        return interned(op, (p,), BOOL)
    if p.sort is INT:
        cs = {m: c // g for m, c in cs.items()}
        return interned(op, (polynomial({**cs, (): -(-c0 // g)}, INT),), BOOL)
    return interned(op, (scale(1 / g, p),), BOOL)


def not_(a: Term) -> Term:
    """The negation, which a term computes once."""
    return expect(BOOL, a).negation


@constructor("not")
def _negated(a: Term) -> Term:
    match expect(BOOL, a).op:
        case "true" | "false":
            return FALSE if a is TRUE else TRUE
        case "not":
            return a.args[0]
        case "le" | "lt":
            zero = num(0, a.args[0].sort)
            return (lt if a.op == "le" else le)(zero, a.args[0])
        case "and" | "or":
            return (or_ if a.op == "and" else and_)(*(not_(x) for x in a.args))
        case _:
            return interned("not", (a,), BOOL)


@constructor("and")
def and_(*xs: Term) -> Term:
    return _junction("and", xs, TRUE, FALSE)


@constructor("or")
def or_(*xs: Term) -> Term:
    return _junction("or", xs, FALSE, TRUE)


def _junction(op: str, xs: Iterable[Term], unit: Term, absorbing: Term) -> Term:
    """A conjunction or disjunction of at least two different operands, none of which is the negation of another."""
    operands: dict[Term, None] = {}
    for x in xs:
        for a in x.args if x.op == op else (x,):
            if a is absorbing:
                return absorbing
            if a is not unit:
                operands[a] = None
    if not operands:
        return unit
    expect(BOOL, *operands)
    if any(not_(a) in operands for a in operands if a.op in ("not", "le", "lt")):
        return absorbing
    args = tuple(sorted(operands))
    return args[0] if len(args) == 1 else interned(op, args, BOOL)


def implies(a: Term, b: Term) -> Term:
    return or_(not_(a), b)


def conjuncts(t: Term) -> tuple[Term, ...]:
    return t.args if t.op == "and" else () if t is TRUE else (t,)


@constructor("ite")
def ite(c: Term, a: Term, b: Term) -> Term:
    """c ? a : b. In either branch, a choice by the same condition is decided; `b < a ? a : b` is a maximum, and
    `p == 0 ? 1 : exp(p)` is exp(p).

    Of propositions, `c ? true : b` is `c or b` and `c ? a : true` is `not c or a`: a choice inside a choice stays flat.
    """
    if expect(BOOL, c) is TRUE or a is expect(a.sort, b):
        return a
    if c is FALSE:
        return b
    if a.sort is BOOL:
        return or_(c, b) if a is TRUE else or_(not_(c), a) if b is TRUE else or_(and_(c, a), and_(not_(c), b))
    a, b = _decided(a, c, True), _decided(b, c, False)
    if a is b:
        return a
    if c.op in ("le", "lt") and c.args[0].sort is a.sort:
        if c in (lt(b, a), le(b, a)):
            return max_(a, b)
        if c in (lt(a, b), le(a, b)):
            return min_(a, b)
    for test, one, power in ((c, a, b), (not_(c), b, a)):
        if _is_exponential(test, one, power):
            return power
    if a.sort.numeric and (a.op == b.op == "poly" or "ite" in (a.op, b.op)):
        common = _common_choices(a, b)
        if not is_zero(common):
            return add(common, ite(c, sub(a, common), sub(b, common)))
    if "argmax" in (a.op, b.op):
        longer = _longer_argmax(c, a, b) or _longer_argmax(not_(c), b, a)
        if longer is not None:
            return longer
    if is_zero(a):  # b is not 0 here: a guarded value has its 0 in the second branch
        return interned("ite", (not_(c), b, a), a.sort)
    if is_zero(b):
        return ite(and_(c, a.args[0]), a.args[1], b) if is_guarded(a) else interned("ite", (c, a, b), a.sort)
    opposite = not_(c)
    if opposite < c:  # one of the two ways to write it
        c, a, b = opposite, b, a
    return interned("ite", (c, a, b), a.sort)


def _is_exponential(c: Term, a: Term, b: Term) -> bool:
    """Is a = 1, b = exp(p), and c the condition that p = 0? Code tests it so that it computes no difference of infinities."""
    return is_function(b, EXPONENTIALS) and a is num(1, b.sort) and c is eq(b.args[1], num(0, b.sort))


def _longer_argmax(c: Term, a: Term, b: Term) -> Term | None:
    """The argmax of f over l..h instead of c ? a : b, if c says that f(l) is less than the maximum of f over l..h, a is the argmax
    over l+1..h or l..h, and b is l: where c holds, the first greatest value is not at l; elsewhere it is."""
    if a.op != "argmax" or a.args[0] not in (b, add(b, ONE)):
        return None
    _, high, body = a.args
    first = instantiate(body, (b,))
    if c is not lt(first, CONSTRUCTORS["fold_max"](first, b, high, body)):
        return None
    return CONSTRUCTORS["argmax"](b, high, body)


def _common_choices(a: Term, b: Term) -> Term:
    """The summands of both a and b in which there are choices. `c ? x + d : x` is `x + (c ? d : 0)`, so that a number which n
    conditions change one after the other is a sum of n choices, not a choice among 2^n cases."""
    other = coefficients(b)
    both = {m: c for m, c in coefficients(a).items() if other.get(m) == c and any(x.op == "ite" for x in m)}
    return polynomial(both, a.sort)


def _decided(t: Term, c: Term, holds: bool) -> Term:
    """t where c is known to hold, or not to hold: choices by c are decided along the chain of choices at the top of t."""
    if t.op != "ite":
        return t
    test, a, b = t.args
    if test is c:
        return _decided(a if holds else b, c, holds)
    if test is not_(c):
        return _decided(b if holds else a, c, holds)
    new = _decided(b, c, holds)
    return t if new is b else ite(test, a, new)
