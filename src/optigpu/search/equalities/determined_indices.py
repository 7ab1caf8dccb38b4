"""Sums in which an equation in the guard determines an index: that index has one value, and its range becomes a guard.

Sum(k in 0..n, k == i ? f(k) : 0) is 0 <= i < n ? f(i) : 0. Code that scatters sums over i and p where i * stride + p == o;
code that gathers sums over p alone, where stride divides o - p.
"""

from __future__ import annotations

from collections.abc import Iterator

from optigpu.light_dataclass import dataclass
from optigpu.logic import terms as k
from optigpu.logic.cells import Cells, Terms
from optigpu.logic.equality import Reindex, peel
from optigpu.logic.facts import Facts
from optigpu.logic.monomials import linear_in
from optigpu.logic.terms import Term, instantiate
from optigpu.search.equalities.sum_forms import SumForms
from optigpu.search.equalities.sum_terms import nested_sums
from optigpu.search.search_tools import SearchTools


@dataclass(frozen=True, slots=True)
class DeterminedIndex:
    """The index number `at` of a nested sum has the value `value`, in terms of the other indices."""

    at: int
    value: Term
    exact: bool  # it is no quotient


class DeterminedIndices:
    """Steps that drop an index of a sum that has only one value."""

    def __init__(self, tools: SearchTools, forms: SumForms) -> None:
        self.tools, self.forms = tools, forms

    def dropped(self, facts: Facts, t: Term, others: list[Term]) -> Reindex | None:
        """Drop an index that the guard determines: one after which the sum has the ranges of another one, if there is such a
        sum, or else the first that is no quotient; any, if there is no other sum."""
        depth = nested_sums(t) if t.op == "sum" and t.level == 0 else 0
        whole = peel(t, depth) if depth else None
        if whole is None or not any(c.op == "eq" for c in k.conjuncts(whole.where)):
            return None
        xs = self.tools.temporaries(depth, "d")
        steps: list[tuple[bool, bool, Reindex]] = []
        for d in _determined(facts, whole, xs):
            step = _step(facts, t, whole, xs, d)
            if step is not None:
                wanted = any(_ranges(s) == _ranges(step.new) for s in others)
                steps.append((not wanted, not d.exact, step))
        steps.sort(key=lambda s: s[:2])
        useful = [s for unwanted, quotient, s in steps if not (unwanted and quotient) or others == [t]]
        return next((s for s in useful if self.forms.holds(facts, s)), None)


def _determined(facts: Facts, whole: Cells, xs: Terms) -> Iterator[DeterminedIndex]:
    """Yield the indices that an equation of the guard gives a value."""
    for c in k.conjuncts(instantiate(whole.where, xs)):
        if c.op != "eq" or c.args[0].sort is not k.INT:
            continue
        cs = k.coefficients(c.args[0])
        for at, x in enumerate(xs):
            factor, rest = linear_in(cs, x) or (x, x)
            if x in rest.free or not factor.free.isdisjoint(xs) or k.is_zero(factor):
                continue
            if k.is_num(factor) and abs(factor.data) == 1:
                yield DeterminedIndex(at, k.scale(-factor.data, rest), True)
            elif facts.nonneg(k.sub(factor, k.ONE)):
                yield DeterminedIndex(at, k.fdiv(k.neg(rest), factor), False)
            elif facts.nonneg(k.sub(k.neg(factor), k.ONE)):
                yield DeterminedIndex(at, k.fdiv(rest, k.neg(factor)), False)


def _step(facts: Facts, t: Term, whole: Cells, xs: Terms, d: DeterminedIndex) -> Reindex | None:
    """Drop one index: its range becomes a part of the guard, at the value that it has."""
    x, value = {xs[d.at]: d.value}, d.value
    left = xs[: d.at] + xs[d.at + 1 :]
    ends = [(instantiate(lo, xs[:i]), instantiate(hi, xs[:i])) for i, (lo, hi) in enumerate(whole.ranges)]
    low, high = (k.substitute(e, x) for e in ends[d.at])
    where = k.substitute(instantiate(whole.where, xs), x)
    body = k.ite(k.and_(where, k.le(low, value), k.lt(value, high)), k.substitute(whole.at(xs)[0], x), k.num(0, t.sort))
    for i in reversed(range(len(xs))):
        if i == d.at:
            continue
        lo, hi = (k.substitute(e, x) for e in ends[i])
        if not (lo.free | hi.free).isdisjoint(xs[i:]):
            return None
        body = k.big("sum", lo, hi, k.abstract(body, (xs[i],)))
    back = tuple(k.abstract(d.value if v is xs[d.at] else v, left) for v in xs)
    return Reindex(t, body, tuple(k.abstract(v, xs) for v in left), back)


def _ranges(t: Term) -> list[tuple[Term, Term]]:
    whole = peel(t, nested_sums(t))
    return [] if whole is None else sorted(whole.ranges)
