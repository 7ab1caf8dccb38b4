"""Sums in closed form: Welford's `m2 += (x - mean) * (x - new_mean)` adds up to `Sum(x * x) - Sum(x) * Sum(x) / n`.

The summand of iteration v is a polynomial in prefix sums S(v) with quotients by terms of v. It is written as the difference
G(v + 1) - G(v) of products of prefix sums and such quotients, plus a rest without prefix sums. The coefficients of the products are
found by solving linear equations, at values of the atoms that are the same in every run.
"""

from __future__ import annotations

from fractions import Fraction
from zlib import crc32

from optigpu.logic import terms as k
from optigpu.logic.facts import Facts
from optigpu.logic.terms import REAL, Monomial, Term, instantiate

MAX_PRODUCTS = 32  # of which the difference may consist
EXTRA_POINTS = 4  # at which the equations must hold as well


def telescoped(facts: Facts, summand: Term, v: Term, low: Term) -> tuple[Term, Term] | None:
    """Return (G, rest) with summand = G(v + 1) - G(v) + rest, where every summand of G has a prefix sum as a factor."""
    prefixes = sorted(s for s in k.subterms_with(summand, "sum") if s.level == 0 and s.args[:2] == (low, v))
    quotients = sorted(q for q in k.subterms_with(summand, "inv") if q.level == 0 and v in q.free)
    if not prefixes or not quotients or any(v in s.args[2].free for s in prefixes):
        return None
    before = {q: k.substitute(q, {v: k.sub(v, k.ONE)}) for q in quotients}
    factors = [k.num(1, REAL), *dict.fromkeys((*quotients, *before.values()))]
    pairs = [k.mul(s, t) for i, s in enumerate(prefixes) for t in prefixes[i:]]
    scales = dict.fromkeys(_scale(m, v, prefixes) for m in k.coefficients(summand) if any(s in m for s in prefixes))
    products = [k.mul(c, f, p) for p in (*pairs, *prefixes) for f in factors for c in scales][:MAX_PRODUCTS]
    following = {s: k.add(s, instantiate(s.args[2], (v,))) for s in prefixes}
    differences = [k.sub(_next(p, v, following), p) for p in products]
    without = dict.fromkeys(prefixes, k.num(0, REAL))
    rows = []
    for point in range(len(products) + EXTRA_POINTS):
        at, at_zero = _Point(point, v, {}), _Point(point, v, without)
        rows.append([at.value(d) - at_zero.value(d) for d in (*differences, summand)])
    solution = _solved(rows)
    if solution is None or not any(solution):
        return None
    total = k.add(k.num(0, REAL), *(k.scale(c, p) for c, p in zip(solution, products)))
    change = k.add(k.num(0, REAL), *(k.scale(c, d) for c, d in zip(solution, differences)))
    return total, facts.simplify(k.replace_subterms(k.sub(summand, change), without))


def _scale(m: Monomial, v: Term, prefixes: list[Term]) -> Term:
    """The factors of a monomial that are the same in all iterations."""
    return k.mul(k.num(1, REAL), *(a for a in m if a not in prefixes and v not in a.free))


def _next(p: Term, v: Term, following: dict[Term, Term]) -> Term:
    """The term at v + 1, with prefix sums written by those at v."""
    names = {s: k.placeholder("s", i, REAL) for i, s in enumerate(following)}
    moved = k.substitute(k.replace_subterms(p, names), {v: k.add(v, k.ONE)})
    return k.substitute(moved, {names[s]: t for s, t in following.items()})


class _Point:
    """Values of atoms, the same in every run; `fixed` are terms with a value of their own."""

    def __init__(self, number: int, v: Term, fixed: dict[Term, Term]) -> None:
        self.number, self.v, self.fixed = number, v, fixed

    def value(self, t: Term) -> Fraction:
        if t in self.fixed:
            return Fraction(self.fixed[t].data)
        match t.op:
            case "num":
                return Fraction(t.data)
            case "poly":
                total = Fraction(0)
                for m, c in t.data:
                    product = Fraction(c)
                    for a in m:
                        product *= self.value(a)
                    total += product
                return total
            case "inv":
                divisor = self.value(t.args[0])
                return 1 / divisor if divisor else divisor
            case "real":
                return self.value(t.args[0])
            case _ if t is self.v:
                return Fraction(self.number + 2)
            case _:
                return Fraction(crc32(f"{t.key} {self.number}".encode()) % 97 + 1)


def _solved(rows: list[list[Fraction]]) -> list[Fraction] | None:
    """Solve linear equations, of which the last column is the right side; unknowns that are not determined are 0."""
    unknowns, pivots, at = len(rows[0]) - 1, list[int](), 0
    for column in range(unknowns):
        row = next((r for r in range(at, len(rows)) if rows[r][column]), None)
        if row is None:
            continue
        rows[at], rows[row] = rows[row], rows[at]
        rows[at] = [x / rows[at][column] for x in rows[at]]
        for r in range(len(rows)):
            if r != at and (by := rows[r][column]):
                rows[r] = [x - by * y for x, y in zip(rows[r], rows[at])]
        pivots.append(column)
        at += 1
    if any(row[-1] for row in rows[at:]):
        return None
    solution = [Fraction(0)] * unknowns
    for r, column in enumerate(pivots):
        solution[column] = rows[r][-1]
    return solution
