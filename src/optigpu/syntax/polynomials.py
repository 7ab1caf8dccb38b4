"""Polynomials with integer coefficients over expressions: `4 * i + n * j - 1`.

Transformations simplify indices with them, and code generation bounds their values. The two differ in how an expression becomes a
polynomial: in which of its parts are atoms.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from optigpu.light_dataclass import dataclass
from optigpu.syntax.exprs import Expr
from optigpu.syntax.printer import print_expr

Monomial = tuple[Expr, ...]  # a product of atoms, sorted by their text; () is the constant term


@dataclass(frozen=True, eq=False)
class Polynomial:
    """A sum of monomials with coefficients other than 0. Two are equal whatever the order of their terms."""

    terms: tuple[tuple[Monomial, int], ...]  # in the order in which they first appeared

    @cached_property
    def _as_set(self) -> frozenset[tuple[Monomial, int]]:
        return frozenset(self.terms)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self._as_set == other._as_set

    def __hash__(self) -> int:
        return hash(self._as_set)

    def __add__(self, other: Polynomial) -> Polynomial:
        out = dict(self.terms)
        for m, c in other.terms:
            out[m] = out.get(m, 0) + c
        return polynomial_of(out)

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + other.scaled(-1)

    def __mul__(self, other: Polynomial) -> Polynomial:
        out: dict[Monomial, int] = {}
        for m, c in self.terms:
            for n, d in other.terms:
                key = sorted_atoms(m + n)
                out[key] = out.get(key, 0) + c * d
        return polynomial_of(out)

    def scaled(self, k: int) -> Polynomial:
        return polynomial_of({m: c * k for m, c in self.terms})

    @property
    def constant(self) -> int | None:
        """The value of a polynomial without atoms; None if it has some."""
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and self.terms[0][0] == () else None

    def divided(self, other: Polynomial) -> Polynomial | None:
        """self / other, if other is one monomial that divides every term, or self."""
        if len(other.terms) != 1:
            return constant_polynomial(1) if self == other and self.terms else None
        (divisor, k), out = other.terms[0], {}
        for m, c in self.terms:
            rest = without_factors(m, divisor)
            if rest is None or k == 0 or c % k:
                return None
            out[rest] = c // k
        return polynomial_of(out)

    def split_multiples(self, k: int) -> tuple[Polynomial, Polynomial]:
        """(q, r) with self = k·q + r: the terms whose coefficient k divides, and the others; the constant is divided by k."""
        q: dict[Monomial, int] = {}
        r: dict[Monomial, int] = {}
        for m, c in self.terms:
            q[m] = c // k if c % k == 0 or m == () else 0
            r[m] = c - k * q[m]
        return polynomial_of(q), polynomial_of(r)


def polynomial_of(coefficients: Mapping[Monomial, int]) -> Polynomial:
    return Polynomial(tuple((m, c) for m, c in coefficients.items() if c))


def constant_polynomial(n: int) -> Polynomial:
    return polynomial_of({(): n})


def atom_polynomial(e: Expr) -> Polynomial:
    return polynomial_of({(e,): 1})


def sorted_atoms(factors: Monomial) -> Monomial:
    return tuple(sorted(factors, key=print_expr)) if len(factors) > 1 else factors


def without_factors(m: Monomial, factors: Monomial) -> Monomial | None:
    """What is left of a product when these factors are taken out; None if it does not have them."""
    rest = list(m)
    for a in factors:
        if a not in rest:
            return None
        rest.remove(a)
    return tuple(rest)
