"""Bounds of atoms: the inequalities that facts, and the definitions of divisions, maxima and powers, give for each atom."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from optigpu.logic import terms as k
from optigpu.logic.monomials import without_factor
from optigpu.logic.terms import INT, ONE, TRUE, ZERO, Coefficients, Monomial, Term

Bound: TypeAlias = tuple[Term, int, Term]  # of an atom v: (c, 1, r) is c*v >= r, (c, -1, r) is c*v <= r, with c > 0
DEFINED = ("fdiv", "max", "pow2", "bxor")  # operators whose definition bounds their value


class BoundTable:
    """The bounds of each atom. `positive` has atoms that are at least 1, `known` the facts that the bounds come from, `natural` the
    numbers of which a fact says that they are not negative."""

    def __init__(self, known: frozenset[Term], natural: frozenset[Term], positive: set[Term]) -> None:
        self.known, self.natural = known, natural
        self.positive = positive  # shared with the tables that this one is copied to
        self.of: dict[Term, dict[Bound, None]] = {}  # in the order in which they were added

    def copy(self) -> BoundTable:
        table = BoundTable(self.known, self.natural, self.positive)
        table.of = {v: dict(bounds) for v, bounds in self.of.items()}
        return table

    def add_all(self, items: Iterable[Term]) -> None:
        """The bounds that facts give, and those of the divisions, maxima and powers in them."""
        for item in items:
            self.add(item)
        self._add_factors(items)
        for item in items:  # a second time, now that some symbolic coefficients are known to be positive
            self.add(item)
            self.add_definitions(item)

    def add(self, item: Term) -> None:
        """The bounds that an inequality or equation gives for its atoms, where what they are multiplied with is positive."""
        if item.op in ("le", "eq") and item.args[0].sort is INT:
            p = item.args[0]
            for v, others, bound in bounds_from(p) + bounds_from(k.neg(p)) if item.op == "eq" else bounds_from(p):
                if self.positive.issuperset(others):
                    self.of.setdefault(v, {})[bound] = None

    def add_positive(self, a: Term) -> None:
        """a >= 1."""
        self.positive.add(a)
        self.of.setdefault(a, {})[ONE, 1, ONE] = None

    def _add_factors(self, items: Iterable[Term]) -> None:
        """A product of numbers that are not negative is at least 1 only if each of them is, as in 0 <= i < H * W."""
        for item in items:
            if item.op == "le" and item.args[0].sort is INT:
                cs = k.coefficients(item.args[0])
                products = [m for m, c in cs.items() if c < 0]
                rest = {m: c for m, c in cs.items() if c > 0}
                at_least_1 = len(products) == 1 and cs.get((), 0) >= 1 and self.are_nonnegative(rest)
                if at_least_1 and (len(products[0]) == 1 or all(self.at_least(0, a) for a in products[0])):
                    self.positive |= set(products[0])
        for a in self.positive:
            self.of.setdefault(a, {})[ONE, 1, ONE] = None

    def add_definitions(self, t: Term) -> None:
        """The bounds of the closed divisions, maxima, exclusive ors and powers in t.

        For d > 0, d * (x div d) <= x <= d * (x div d) + d - 1, and x div d <= x if also x >= 0. For k >= 0, 2^k >= 1. An exclusive
        or with a number c >= 0 keeps the bits above the highest one of c.
        """
        for a in k.subterms_with(t, *DEFINED):
            if a.level > 0 or a.sort is not INT:
                continue
            match a.op:
                case "fdiv":
                    x, d = a.args
                    power = d.op == "pow2" and self._is_natural(d.args[0])
                    if (d.op == "num" and d.data > 0) or d in self.positive or power or self._is_positive_sum(d):
                        self.add(k.le(k.mul(d, a), x))
                        self.add(k.le(x, k.add(k.mul(d, a), k.sub(d, ONE))))
                        if d.op == "poly":  # then `add` finds the quotient in several monomials
                            self.of.setdefault(a, {}).update({(d, -1, x): None, (d, 1, k.sub(x, k.sub(d, ONE))): None})
                        if d.op != "num" and self.at_least(0, x):
                            self.add(k.le(a, x))
                case "max":
                    for x in a.args:
                        self.add(k.le(x, a))
                case "bxor" if k.is_num(a.args[1]) and a.args[1].data >= 0:
                    size = k.num(1 << a.args[1].data.bit_length())
                    first = k.mul(size, k.fdiv(a.args[0], size))
                    self.add_definitions(first)
                    self.add(k.le(first, a))
                    self.add(k.lt(a, k.add(first, size)))
                case "pow2":
                    if self._is_natural(a.args[0]):
                        self.add(k.le(ONE, a))
                case _:
                    pass

    def _is_positive_sum(self, d: Term) -> bool:
        """d >= 1, for a sum such as w + 4 or w - 2: d - 1 has no negative summand, or is not negative by a fact."""
        if d.op != "poly":
            return False
        rest = k.sub(d, ONE)
        return self.are_nonnegative(k.coefficients(rest)) or k.le(ZERO, rest) in self.known

    def _is_natural(self, x: Term) -> bool:
        return k.le(ZERO, x) is TRUE or k.le(ZERO, x) in self.known

    def at_least(self, least: int, a: Term) -> bool:
        """a >= least (0 or 1), from a constant bound or from what the atom is."""
        if a.op == "num":
            return bool(a.data >= least)
        if any(side == 1 and c is ONE and r.op == "num" and r.data >= least for c, side, r in self.of.get(a, ())):
            return True
        match a.op:
            case "fdiv":
                x, d = a.args
                return least == 0 and self.at_least(0, x) and (self.at_least(1, d) or self._is_positive_sum(d))
            case "max":
                return any(self.at_least(least, x) for x in a.args)
            case _:
                return False

    def are_nonnegative(self, cs: Coefficients) -> bool:
        """Are all summands products of numbers that are not negative, and of squares?"""
        odd = (a for m in cs for a in dict.fromkeys(m) if m.count(a) % 2)
        return all(c >= 0 for c in cs.values()) and all(self.at_least(0, a) for a in odd)


@k.remembered(20_000)
def bounds_from(p: Term) -> tuple[tuple[Term, Monomial, Bound], ...]:
    """From p <= 0: (v, others, bound) for each atom v that p bounds, provided that the others, its cofactors, are positive."""
    out, cs = [], k.coefficients(p)
    for m, c in cs.items():
        for v in dict.fromkeys(m):
            others = without_factor(m, v)
            if len(others) > 1 or v in others or any(v in n for n in cs if n != m):
                continue
            rest = k.polynomial({n: d for n, d in cs.items() if n != m}, INT)
            factor = k.mul(k.num(abs(c)), *others)
            # c*v + rest <= 0: for c > 0, c*v <= -rest; for c < 0, -c*v >= rest
            out.append((v, others, (factor, -1, k.neg(rest)) if c > 0 else (factor, 1, rest)))
    return tuple(out)
