"""Finding sums of squares: the variance `Sum(x * x) / n - (Sum(x) / n) * (Sum(x) / n)` is `Sum((x - mean) * (x - mean)) / n`.

A real polynomial is divided into quadratic forms, one for each range of summation and factor. A form whose matrix has no negative
eigenvalue is a sum of squares of linear forms; each may have its mean subtracted. Untrusted: logic/signs.py multiplies out.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TypeAlias

from optigpu.logic import terms as k
from optigpu.logic.facts import Facts
from optigpu.logic.signs import Square
from optigpu.logic.terms import EXPONENTIALS, REAL, Monomial, Term

MAX_ATOMS = 8  # of a quadratic form
Ranges: TypeAlias = tuple[tuple[Term, Term], ...]
Form: TypeAlias = dict[tuple[Term, Term], Fraction]  # coefficients of products of two atoms
UNIT = k.num(1, REAL)


def squares_in(facts: Facts, p: Term) -> list[tuple[Square, ...]]:
    """Propose ways to write a part of the polynomial as a sum of squares: as it is, and with means subtracted."""
    forms = quadratic_forms(p)
    found = [s for (factor, ranges), form in forms.items() for s in _squares(factor, ranges, form)]
    plain = [s for s in found if facts.proves(k.le(k.num(0, REAL), s.factor))]
    if not plain:
        return []
    centred = tuple(_centred(s) if s.ranges else s for s in plain)
    return [tuple(plain)] if centred == tuple(plain) else [tuple(plain), centred]


def quadratic_forms(p: Term) -> dict[tuple[Term, Ranges], Form]:
    """Group the monomials by their factor and the range of their sum; only products of two atoms are kept."""
    forms: dict[tuple[Term, Ranges], Form] = {}
    for m, c in k.coefficients(p).items():
        sums = [a for a in m if a.op == "sum"]
        signed = tuple(a for a in m if a.op in ("inv", "real") or k.is_function(a, (*EXPONENTIALS, "sqrt")))
        ranges: Ranges = ()
        atoms = tuple(a for a in m if a not in signed)
        if len(sums) == 1:
            ranges, body = _peeled(sums[0])
            signed = tuple(a for a in m if a is not sums[0])
            bodies = k.coefficients(body)
            if len(bodies) != 1:
                continue
            ((atoms, d),) = bodies.items()
            c = c * d
        pair = _pair(atoms)
        if pair is not None:
            form = forms.setdefault((k.mul(UNIT, *signed), ranges), {})
            form[pair] = form.get(pair, Fraction(0)) + Fraction(c)
    return {key: form for key, form in forms.items() if len({a for pair in form for a in pair}) <= MAX_ATOMS}


def _peeled(t: Term) -> tuple[Ranges, Term]:
    ranges: list[tuple[Term, Term]] = []
    while t.op == "sum":
        low, high, t = t.args
        ranges.append((low, high))
    return tuple(ranges), t


def _pair(atoms: Monomial) -> tuple[Term, Term] | None:
    """A monomial as a product of two atoms; missing ones are 1."""
    if len(atoms) > 2:
        return None
    a, b = sorted((*atoms, UNIT, UNIT)[:2])
    return a, b


def _squares(factor: Term, ranges: Ranges, form: Form) -> Iterator[Square]:
    """Complete squares, one atom after the other; nothing if the coefficient of a square is missing."""
    left = dict(form)
    found: list[Square] = []
    for a in sorted({x for pair in form for x in pair} - {UNIT}):  # what is left of the constant is a number
        row = {y if x is a else x: c for (x, y), c in left.items() if a in (x, y) and c != 0}
        if not row:
            continue
        d = row.get(a, Fraction(0))
        if d == 0:
            return
        others = {x: c / (2 * d) for x, c in row.items() if x is not a}
        root = k.add(a, *(k.scale(c, x) for x, c in others.items()))
        found.append(Square(k.scale(d, factor), ranges, root))
        left = {pair: c for pair, c in left.items() if a not in pair}
        for x, c in others.items():
            for y, e in others.items():
                pair = (x, y) if not y < x else (y, x)
                left[pair] = left.get(pair, Fraction(0)) - d * c * e
    yield from found


def _centred(s: Square) -> Square:
    """The same with the mean of the root subtracted from it, if the ranges do not depend on each other."""
    if any(t.level for r in s.ranges for t in r):
        return s
    total, count = s.root, UNIT
    for low, high in reversed(s.ranges):
        total = k.big("sum", low, high, total)
        count = k.mul(count, k.to_real(k.sub(high, low)))
    if total.level:
        return s
    mean = k.mul(total, k.inv(count))
    return Square(s.factor, s.ranges, k.sub(s.root, k.shift(mean, len(s.ranges))))
