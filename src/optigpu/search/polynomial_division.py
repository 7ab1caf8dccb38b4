"""Exact division of polynomials: (32 * w * n) / (32 * w) = n."""

from __future__ import annotations

from typing import TypeAlias

from optigpu.logic import terms as k
from optigpu.logic.terms import INT, ZERO, Term

_Leading: TypeAlias = tuple[int, tuple[Term, ...], int]  # degree, monomial, coefficient


def exact_quotient(dividend: Term, divisor: Term) -> Term | None:
    """Divide by long division, leading monomials first. Return None if the quotient is no polynomial."""
    quotient, rest = ZERO, dividend
    while rest is not ZERO:
        summand = _monomial_quotient(_leading(rest), _leading(divisor))
        if summand is None:
            return None
        before = _leading(rest)[:2]
        quotient, rest = k.add(quotient, summand), k.sub(rest, k.mul(summand, divisor))
        if rest is not ZERO and not _leading(rest)[:2] < before:  # a product that is not written as a sum of monomials
            return None
    return quotient


def _leading(p: Term) -> _Leading:
    """Return the monomial of the highest degree; of several, the last one in the order of terms."""
    return max(((len(m), m, c) for m, c in k.coefficients(p).items()), default=(0, (), 0))


def _monomial_quotient(dividend: _Leading, divisor: _Leading) -> Term | None:
    factors = list(dividend[1])
    for factor in divisor[1]:
        if factor not in factors:
            return None
        factors.remove(factor)
    if not divisor[2] or dividend[2] % divisor[2] != 0:
        return None
    return k.polynomial({tuple(factors): dividend[2] // divisor[2]}, INT)
