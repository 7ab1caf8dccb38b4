"""Laws of real numbers that hold under a condition: cancelling, square roots, logarithms, and equations of quotients.

The conditions are about signs (logic/signs.py).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import TypeAlias

from optigpu.logic import terms as k
from optigpu.logic.monomials import without_factors
from optigpu.logic.signs import NEGATIVE, POSITIVE, ZERO
from optigpu.logic.terms import EXPONENTIALS, LOGARITHMS, REAL, Monomial, Term

SignOf: TypeAlias = Callable[[Term], int]
FUNCTIONS = (*EXPONENTIALS, *LOGARITHMS, "sqrt")  # with laws about products
MOST_FACTORS = 8  # of a power that is written as a product


def cancelled(t: Term, sign: SignOf) -> Term:
    """A polynomial where x * (1 / x) is 1, for x != 0, and sqrt(x) * sqrt(x) is x, for x >= 0; 1 / sqrt(x) likewise."""
    new = {m: _cancelled(m, sign) for m, _ in t.data}
    if all(n == [*m] for m, n in new.items()):
        return t
    return k.add(*(k.scale(c, k.mul(k.num(1, REAL), *new[m])) for m, c in t.data))


def is_root(a: Term) -> bool:
    return k.is_function(a, ("sqrt",))


def _cancelled(m: Monomial, sign: SignOf) -> list[Term]:
    added: list[Term] = []
    for a in dict.fromkeys(m):
        x = a.args[0] if a.op == "inv" else a
        while a is not x and (rest := without_factors(m, (a, x))) is not None and not sign(x) & ZERO:
            m = rest
        if not is_root(x) or sign(x.args[1]) & NEGATIVE:
            continue
        while (rest := without_factors(m, (a, a))) is not None:
            m = rest
            added.append(x.args[1] if a is x else k.inv(x.args[1]))
    return [*m, *added]


def function_value(t: Term, sign: SignOf) -> Term:
    """log, sqrt or exp of products of numbers with a known sign."""
    f, x = t.args[0], t.args[1]
    if k.is_zero(x):
        return x if is_root(t) else t
    if k.is_function(t, EXPONENTIALS):
        return _exponential(f, x, sign)
    number, factors, rest = k.content(x)
    rest = k.scale(number, rest)  # of several summands: which of them is the first depends on names
    parts = [*factors, rest]
    if k.is_function(t, tuple(LOGARITHMS)) and all(sign(p) == POSITIVE for p in parts):
        return k.add(*(_logarithm(f, p, sign) for p in parts))
    if is_root(t):
        single = [a for a in factors if factors.count(a) % 2]
        if not any(sign(p) & NEGATIVE for p in (*single, rest)):
            twice = [a for a in dict.fromkeys(factors) for _ in range(factors.count(a) // 2)]
            roots = [_root(f, p) for p in (rest, *dict.fromkeys(single))]
            return k.mul(*roots, *(k.max_(a, k.neg(a)) if sign(a) & NEGATIVE else a for a in twice))
    return t


def _logarithm(f: Term, p: Term, sign: SignOf) -> Term:
    """The logarithm of a factor, which is positive."""
    if k.is_num(p) and p.data == 1:
        return k.num(0, REAL)
    if p.op == "inv":
        return k.neg(_logarithm(f, p.args[0], sign))
    if is_root(p) and sign(p.args[1]) == POSITIVE:
        return k.scale(Fraction(1, 2), _logarithm(f, p.args[1], sign))
    return k.app(f, p)


def _root(f: Term, p: Term) -> Term:
    """The square root of a number that is not negative."""
    if p.op == "inv":
        return k.inv(_root(f, p.args[0]))
    if k.is_function(p, EXPONENTIALS):
        return k.app(p.args[0], k.scale(Fraction(1, 2), p.args[1]))
    if k.is_num(p):
        number = Fraction(p.data)
        a, b = isqrt(number.numerator), isqrt(number.denominator)
        return k.num(Fraction(a, b), REAL) if Fraction(a * a, b * b) == number else k.app(f, p)
    return k.app(f, p)


def _exponential(f: Term, x: Term, sign: SignOf) -> Term:
    """exp(n * log(a) + x) is a * … * a * exp(x), for a > 0 and a small integer n."""
    out, rest = [], x
    for m, c in k.coefficients(x).items():
        log = m[0] if len(m) == 1 else None
        inverse = log is not None and k.is_function(log, tuple(LOGARITHMS)) and LOGARITHMS[log.args[0].data.stem]
        if log is None or inverse != f.data.stem or c.denominator != 1 or abs(c) > MOST_FACTORS:
            continue
        if sign(log.args[1]) == POSITIVE:
            out += [log.args[1] if c > 0 else k.inv(log.args[1])] * abs(int(c))
            rest = k.sub(rest, k.scale(c, log))
    return k.mul(k.app(f, rest), *out)


def without_quotients(p: Term, sign: SignOf) -> Term:
    """p multiplied by the divisors in it that are not 0, each as often as needed: 0 exactly where p is 0."""
    for q in [a for a in p.parts if a.op == "inv" and not sign(a.args[0]) & ZERO] if p.op == "poly" else ():
        cs = k.coefficients(p)
        most = max((m.count(q) for m in cs), default=0)
        summands = []
        for m, c in cs.items():
            others, times = [a for a in m if a is not q], most - m.count(q)
            summands.append(k.scale(c, k.mul(k.num(1, REAL), *others, *[q.args[0]] * times)))
        p = k.add(*summands)
    return p
