"""Accumulators whose scale changes: `t = t * exp(m - m2) + exp(x - m2); m = m2;`, or a mean, `mean += (x - mean) / (i + 1)`.

One iteration is t = a(v) * t + b(v). A weight h with h(v + 1) * a(v) = h(v) makes it a sum: h * t grows by h(v + 1) * b(v). For the
first loop h(v) is exp(m), for the second one it is v.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from optigpu.logic import terms as k
from optigpu.logic.facts import Facts
from optigpu.logic.monomials import linear_in, without_factor
from optigpu.logic.terms import EXPONENTIALS, REAL, Monomial, Term
from optigpu.search.equalities.equality_search import EqualitySearch
from optigpu.search.search_tools import SearchTools

MAX_WEIGHTS = 6  # tried for one accumulator


def weighted_sum(
    tools: SearchTools, facts: Facts, value: Term, old: Term, start: Term, v: Term, closed_forms: Sequence[Term] = ()
) -> tuple[Term, Term] | None:
    """Return the weight and the summand h(v + 1) * b(v), if the value is a(v) * old + b(v) and a weight is found.

    `closed_forms`: other variables as functions of v. The value has been simplified for iteration v, which may have dropped guards
    of a last tile that iteration v + 1 needs; these have not."""
    parts = _linear(value, old)
    if parts is None or value.sort is not REAL or any(start in t.free for t in parts):
        return None
    a, _ = parts
    following = {v: k.add(v, k.ONE)}
    divisors = {q.args[0] for q in k.subterms_with(a, "inv") if q.level == 0}  # of the program, so they are not 0
    facts = facts.assume(*(k.not_(k.eq(d, k.num(0, REAL))) for d in sorted(divisors)))
    for h in list(dict.fromkeys(_weights(a, v, closed_forms)))[:MAX_WEIGHTS]:
        after = k.substitute(h, following)
        if EqualitySearch(tools).find(facts, *_balanced(k.mul(after, a), h)) is not None:
            return h, facts.simplify(_summand(value, old, h, after))
    return None


def _balanced(a: Term, b: Term) -> tuple[Term, Term]:
    """Two terms that are equal if a and b are: of exponentials their exponents, with what is subtracted on the other side."""
    if not (k.is_function(a, EXPONENTIALS) and k.is_function(b, EXPONENTIALS) and a.args[0] is b.args[0]):
        return a, b
    difference = k.coefficients(k.sub(a.args[1], b.args[1]))
    added = k.polynomial({m: c for m, c in difference.items() if c > 0}, REAL)
    return added, k.polynomial({m: -c for m, c in difference.items() if c < 0}, REAL)


def _summand(value: Term, old: Term, h: Term, after: Term) -> Term:
    """Compute h(v + 1) * b(v), which is h(v) * b(v) / a(v) where a(v) is an exponential; divisors h(v + 1) are cancelled."""
    if value.op == "ite":
        c, x, y = value.args
        return k.ite(c, _summand(x, old, h, after), _summand(y, old, h, after))
    parts = linear_in(k.coefficients(value), old)
    assert parts is not None
    a, b = parts
    if k.is_function(a, EXPONENTIALS) or (k.is_num(a) and a.data != 0):
        return k.mul(h, k.inv(a), b)
    divisor = k.inv(after)
    products = (
        k.polynomial({without_factor(m, divisor): c} if divisor in m else {m: c}, REAL)
        for m, c in k.coefficients(b).items()
    )
    factors = (k.num(1, REAL) if divisor in m else after for m in k.coefficients(b))
    return k.add(k.num(0, REAL), *(k.mul(x, p) for x, p in zip(factors, products)))


def _linear(value: Term, old: Term) -> tuple[Term, Term] | None:
    """(a, b) with value = a * old + b, also by cases."""
    if value.op == "ite":
        c, x, y = value.args
        then, other = _linear(x, old), _linear(y, old)
        if then is None or other is None:
            return None
        return k.ite(c, then[0], other[0]), k.ite(c, then[1], other[1])
    return linear_in(k.coefficients(value), old)


def _weights(a: Term, v: Term, closed_forms: Sequence[Term]) -> Iterator[Term]:
    """Propose weights: exp(c * g) for a factor exp(c * g - …), and the divisor at v - 1 for a quotient."""
    for e in (t for t in k.subterms_with(a, "app") if t.level == 0 and k.is_function(t, EXPONENTIALS)):
        f, exponent = e.args
        cs = k.coefficients(exponent)
        constants = dict.fromkeys(_constant_factor(m, c, v) for m, c in cs.items() if any(v in x.free for x in m))
        yield from (k.app(f, k.mul(c, g)) for c in constants for g in closed_forms)
        for sign in (1, -1):
            part = k.polynomial({m: c for m, c in cs.items() if c * sign > 0}, REAL)
            if v in part.free:
                yield k.app(f, part)
    for q in (t.args[0] for t in k.subterms_with(a, "inv") if t.level == 0 and v in t.free):
        yield k.substitute(q, {v: k.sub(v, k.ONE)})


def _constant_factor(m: Monomial, c: Fraction | int, v: Term) -> Term:
    """The part of a summand that does not depend on v, without its sign."""
    return k.mul(k.num(c if c > 0 else -c, REAL), *(x for x in m if v not in x.free))
