"""Proofs of inequalities: p >= 0, for an integer polynomial p, by replacing atoms by their bounds, one after the other.

An atom may have a symbolic coefficient whose sign is known: from i <= H - 1 and W >= 0 follows i * W <= (H - 1) * W. Rounding of
integers is accounted for.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd

from optigpu.logic import terms as k
from optigpu.logic.bounds import BoundTable
from optigpu.logic.equations import elimination_order
from optigpu.logic.monomials import linear_in, without_factor
from optigpu.logic.terms import INT, ONE, Term

MAX_ELIMINATIONS = 9  # in one proof of an inequality
MAX_INEQUALITIES = 70  # tried for one goal
ATOMS_TRIED = 2  # of one inequality


class Elimination:
    """A proof, or the search for one, that a polynomial is not negative. `refuted` says of a polynomial that it can be negative."""

    def __init__(self, bounds: BoundTable, refuted: Callable[[Term], bool]) -> None:
        self.bounds = bounds
        self.refuted = refuted
        self.tried: dict[Term, int] = {}  # polynomials tried in this proof, with the eliminations that were left

    def proves_nonneg(self, p: Term, left: int = MAX_ELIMINATIONS) -> bool:
        """Is p >= 0? `left` eliminations may be made."""
        cs = k.coefficients(p)
        if not any(cs):
            return bool(cs.get((), 0) >= 0)
        if (g := gcd(*(c for m, c in cs.items() if m))) > 1:  # g * n + c >= 0 if n + c div g >= 0
            p = k.polynomial(cs := {m: c // g for m, c in cs.items()}, INT)
        if self.bounds.are_nonnegative(cs) or p in self.bounds.natural:
            return True
        common = next((a for a in next(iter(cs)) if all(a in m for m in cs)), None)
        if common is not None and (
            self.bounds.at_least(0, common) or (common is not p and self.proves_nonneg(common, left - 1))
        ):  # p = common * rest, and common >= 0
            rest = k.polynomial({without_factor(m, common): c for m, c in cs.items()}, INT)
            return self.proves_nonneg(rest, left)
        if left <= self.tried.get(p, 0) or len(self.tried) > MAX_INEQUALITIES or self.refuted(p):
            return False
        self.tried[p] = left
        return self._by_bounds(cs, left)

    def _by_bounds(self, cs: k.Coefficients, left: int) -> bool:
        """p = a*v + q is at least what it is with a bound of v in the place of v, on the side that the sign of a asks for."""
        tried = 0
        for v in sorted({a for m in cs for a in m}, key=_order, reverse=True):
            parts = linear_in(cs, v, 2)  # v may be a factor of a: only the sign of a matters
            if parts is None or v not in self.bounds.of:
                continue
            a, q = parts
            sign = self._sign(a, left)
            if sign == 0:
                continue
            for c, _, r in (b for b in self.bounds.of[v] if b[1] == sign):
                # c * (a*v + q) = a * (c*v) + c*q >= a*r + c*q; an integer n is >= 0 already if c*n > -c
                rest = q if c is ONE else k.add(k.mul(c, q), k.sub(c, ONE))
                if self.proves_nonneg(k.add(k.mul(a, r), rest), left - 1):
                    return True
            tried += 1
            if tried == ATOMS_TRIED:
                break
        return False

    def _sign(self, a: Term, left: int) -> int:
        """1 if a >= 0, -1 if a <= 0, and 0 if neither is proved."""
        if a.op == "num":
            return int(a.data > 0) - int(a.data < 0)
        if self.proves_nonneg(a, left - 1):
            return 1
        return -1 if self.proves_nonneg(k.neg(a), left - 1) else 0


@k.remembered(20_000)
def _order(a: Term) -> tuple[int, int, bool, int]:
    """The greatest is eliminated first: of atoms of one age a quotient of several variables, since its bounds have these."""
    group, age, key = elimination_order(a)
    return group, age, a.op == "fdiv" and len(a.free) > 1, key
