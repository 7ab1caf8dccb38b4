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
    """(quotient, rest) with a = d * quotient + rest, for a divisor d that is a single monomial, or that divides a."""
    if d.op == "num":
        return ZERO, a
    ca, ds = k.coefficients(a), k.coefficients(d)
    dm, dc = next(iter(ds.items()))
    if len(ds) > 1:
        multiple = ca.get(dm, 0) // dc
        return (k.num(multiple), ZERO) if k.scale(multiple, d) is a else (ZERO, a)
    within = {m: left for m, c in ca.items() if (left := without_factors(m, dm)) is not None and c % dc == 0}
    quotient = {left: ca[m] // dc for m, left in within.items()}
    return k.polynomial(quotient, INT), k.polynomial({m: c for m, c in ca.items() if m not in within}, INT)
