"""Polynomials taken apart: monomials without a factor, coefficients of an atom, multiples of a divisor."""

from __future__ import annotations

from optigpu.logic import terms as k
from optigpu.logic.terms import INT, ZERO, Coefficients, Monomial, Term


def without_factor(m: Monomial, a: Term) -> Monomial:
    """The monomial without one occurrence of its factor a."""
    at = m.index(a)
    return m[:at] + m[at + 1 :]


def without_factors(m: Monomial, factors: Monomial) -> Monomial | None:
    """The monomial divided by another one, or None if that does not divide it."""
    for f in factors:
        if f not in m:
            return None
        m = without_factor(m, f)
    return m


def linear_in(cs: Coefficients, v: Term, most: int = 1) -> tuple[Term, Term] | None:
    """(a, q) with p = a*v + q, where v is no factor of q. With `most` = 2, p may contain v*v; then v is a factor of a."""
    if any(m.count(v) > most for m in cs):
        return None
    a = {without_factor(m, v): c for m, c in cs.items() if v in m}
    return k.polynomial(a, v.sort), k.polynomial({m: c for m, c in cs.items() if v not in m}, v.sort)


def split_multiple(a: Term, d: Term) -> tuple[Term, Term]:
    """(quotient, rest) with a = d * quotient + rest, for a divisor d that is no number.

    Of a divisor with several monomials, such as w + 4, a multiple is taken out where all of it is there: of w * i + 4 * i + j, i
    times; a constant in it may be merged with others.
    """
    if d.op == "num":
        return ZERO, a
    ca, ds = k.coefficients(a), k.coefficients(d)
    dm, dc = max(ds.items(), key=lambda item: len(item[0]))
    within = {m: left for m, c in ca.items() if (left := without_factors(m, dm)) is not None and c % dc == 0}
    quotient = {left: ca[m] // dc for m, left in within.items()}
    if len(ds) > 1:
        quotient = {m: c for m, c in quotient.items() if _is_within(k.mul(d, k.polynomial({m: c}, INT)), ca)}
        q = k.polynomial(quotient, INT)
        return q, k.sub(a, k.mul(d, q))
    return k.polynomial(quotient, INT), k.polynomial({m: c for m, c in ca.items() if m not in within}, INT)


def _is_within(p: Term, cs: Coefficients) -> bool:
    """Has a polynomial with these coefficients all summands of p, its constant aside?"""
    return all(cs.get(m) == c for m, c in k.coefficients(p).items() if m)
