"""Sums inside sums: two adjacent ranges as one, and the same ranges in another order.

Sum(0, 3, p: Sum(0, B, b: Sum(0, 8, x: f(p, 8 * b + x)))) is Sum(0, 3, p: Sum(0, 8 * B, i: f(p, i))).
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

from optigpu.logic import terms as k
from optigpu.logic.cells import Cells, Terms
from optigpu.logic.equality import Reindex, peel
from optigpu.logic.facts import Facts
from optigpu.logic.terms import Term, instantiate
from optigpu.search.equalities.sum_terms import lower_bound, nested_sums, upper_bound
from optigpu.search.fresh_names import scoped
from optigpu.search.search_tools import SearchTools

MAX_ORDERS = 24  # in which ranges are tried


class SumNests:
    """Steps for sums of three or more ranges that do not depend on each other."""

    def __init__(self, tools: SearchTools) -> None:
        self.tools = tools

    def merged_pair(self, facts: Facts, t: Term) -> Reindex | None:
        """Merge two ranges b in 0..B, x in 0..X of a nest, if guard and body depend on X*b + x (or on b + B*x) alone. Adjacent ones
        are tried first."""
        nest = _independent_nest(t)
        if nest is None or nest.arity < 3:
            return None
        xs = self.tools.temporaries(nest.arity, "n")
        pairs = sorted(combinations(range(nest.arity), 2), key=lambda pair: pair[1] - pair[0])
        steps = (self._merged_at(facts, t, nest, xs, at, other) for at, other in pairs)
        return next((step for step in steps if step is not None), None)

    def _merged_at(self, facts: Facts, t: Term, nest: Cells, xs: Terms, at: int, other: int) -> Reindex | None:
        """Merge the ranges number `at` and `other`; the new one is in the place of the first."""
        (low1, high1), (low2, high2) = nest.ranges[at], nest.ranges[other]
        outer, inner = k.sub(high1, low1), k.sub(high2, low2)
        b, x = xs[at], xs[other]
        (i,) = self.tools.temporaries(1, "m")
        b0, x0 = k.sub(b, low1), k.sub(x, low2)
        quotients = (k.add(low1, k.fdiv(i, inner)), k.add(low2, k.fmod(i, inner)))
        remainders = (k.add(low1, k.fmod(i, outer)), k.add(low2, k.fdiv(i, outer)))
        for index, replaced, back in (
            (k.add(k.mul(inner, b0), x0), {x: k.add(low2, k.sub(i, k.mul(inner, b0)))}, quotients),
            (k.add(k.mul(outer, x0), b0), {b: k.add(low1, k.sub(i, k.mul(outer, x0)))}, remainders),
        ):
            body = k.substitute(nest.at(xs)[0], replaced)
            where = k.substitute(instantiate(nest.where, xs), replaced)
            if {b, x} & (body.free | where.free):
                continue
            merged = (k.ZERO, k.mul(outer, inner))
            indices = (*xs[:at], i, *xs[at + 1 : other], *xs[other + 1 :])
            ranges = (*nest.ranges[:at], merged, *nest.ranges[at + 1 : other], *nest.ranges[other + 1 :])
            new = self._sum(facts, indices, ranges, at, where, body)
            if peel(new, len(indices)) is None:
                continue
            forward = tuple(k.substitute(u, {i: index}) for u in indices)
            both = tuple(k.substitute(u, dict(zip((b, x), back))) for u in xs)
            return Reindex(
                t, new, tuple(k.abstract(u, xs) for u in forward), tuple(k.abstract(u, indices) for u in both)
            )
        return None

    def _sum(
        self, facts: Facts, indices: Terms, ranges: tuple[tuple[Term, Term], ...], at: int, where: Term, body: Term
    ) -> Term:
        """Build the nest; conjuncts that bound the index number `at` by a closed term become bounds of its range."""
        low, high = ranges[at]
        i, others = indices[at], {x for x in indices if x is not indices[at]}
        guards: list[Term] = []
        for c in k.conjuncts(where):
            upper, lower = upper_bound(c, i), lower_bound(c, i)
            if upper is not None and not others & upper.free and self.tools.proves(facts, k.le(upper, high)):
                high = upper
            elif lower is not None and not others & lower.free and self.tools.proves(facts, k.le(low, lower)):
                low = lower
            else:
                guards.append(c)
        out = k.ite(k.and_(*guards), body, k.num(0, body.sort))
        for x, (start, end) in reversed(list(zip(indices, (*ranges[:at], (low, high), *ranges[at + 1 :])))):
            out = k.big("sum", start, end, k.abstract(out, (x,)))
        return out

    def exchanged(self, s: Term, t: Term) -> Reindex | None:
        """Bring the ranges of s into the order of those of t, whose guard and body are the same then."""
        depth = nested_sums(s)
        one, other = _independent_nest(s), _independent_nest(t)
        if one is None or other is None or depth != other.arity or Counter(one.ranges) != Counter(other.ranges):
            return None
        xs = self.tools.temporaries(depth, "s")
        wanted = (one.at(xs), instantiate(one.where, xs))
        orders = (p for p in permutations(range(depth)) if all(one.ranges[i] == r for i, r in zip(p, other.ranges)))
        for _, order in zip(range(MAX_ORDERS), orders):
            ys = tuple(xs[i] for i in order)
            if (other.at(ys), instantiate(other.where, ys)) == wanted:
                return Reindex(
                    s,
                    t,
                    tuple(k.abstract(y, xs) for y in ys),
                    tuple(k.abstract(xs[order.index(i)], xs) for i in range(depth)),
                )
        return None

    @scoped
    def corresponding(self, s: Term, t: Term) -> Reindex | None:
        """Bring the ranges of s into the order of those of t, where the indices are arguments of functions that tell the order.

        Guards and bodies may be written in different ways: whether they agree is left to the judge.
        """
        one, other = _independent_nest(s), _independent_nest(t)
        if one is None or other is None or Counter(one.ranges) != Counter(other.ranges):
            return None
        xs, ys = self.tools.temporaries(one.arity, "s"), self.tools.temporaries(one.arity, "s")
        pairs = _same_arguments(one.at(xs)[0], other.at(ys)[0], xs, ys)
        if pairs is None or any(one.ranges[xs.index(x)] != other.ranges[ys.index(y)] for x, y in pairs.items()):
            return None
        x_of_y = {y: x for x, y in pairs.items()}
        return Reindex(
            s,
            t,
            tuple(k.abstract(x_of_y[y], xs) for y in ys),
            tuple(k.abstract(pairs[x], ys) for x in xs),
        )


def _same_arguments(a: Term, b: Term, xs: Terms, ys: Terms) -> dict[Term, Term] | None:
    """Pair each of xs in a with the one of ys in b that is the same argument of the same function."""
    pairs: dict[Term, Term] = {}
    others = {f.args[0]: f for f in k.subterms_with(b, "app")}
    for f in k.subterms_with(a, "app"):
        for x, y in zip(f.args[1:], others[f.args[0]].args[1:]) if f.args[0] in others else ():
            if x in xs and y in ys and pairs.setdefault(x, y) is not y:
                return None
    return pairs if len(set(pairs.values())) == len(xs) else None


def _independent_nest(t: Term) -> Cells | None:
    """All sums of a nest, if no range depends on the index of another."""
    if t.op != "sum":
        return None
    nest = peel(t, nested_sums(t))
    return None if nest is None or any(r.level for pair in nest.ranges for r in pair) else nest
