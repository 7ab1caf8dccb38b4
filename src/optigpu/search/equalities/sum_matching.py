"""Two sums of the same products, whose indices are arguments of the functions that are multiplied: these tell which index of the
one is which of the other.

Sum(i in 0..n, 0 <= o - i < m ? X(i) * W(o - i) : 0) is Sum(p in 0..m, 0 <= o - p < n ? X(o - p) * W(p) : 0), by p = o - i.
Code that scatters sums over i and p where i * stride + p == o, code that gathers over p alone, by i = (o - p) / stride.
"""

from __future__ import annotations

from collections.abc import Iterator

from optigpu.logic import terms as k
from optigpu.logic.cells import Cells, Terms
from optigpu.logic.equality import Reindex, peel
from optigpu.logic.facts import Facts
from optigpu.logic.terms import Term
from optigpu.search.equalities.sum_forms import SumForms
from optigpu.search.equalities.sum_terms import nested_sums
from optigpu.search.fresh_names import scoped
from optigpu.search.search_tools import SearchTools


class SumMatching:
    """Steps that replace one nest of sums by another one."""

    def __init__(self, tools: SearchTools, forms: SumForms) -> None:
        self.tools, self.forms = tools, forms
        self._never: set[tuple[Facts, Term, Term]] = set()  # pairs are met again in each round

    def restart(self) -> None:
        self._never.clear()

    def matched(self, facts: Facts, a: Term, b: Term) -> Reindex | None:
        """Replace a nest of one side by one of the other side, which differs from it by more than the order of its ranges."""
        if not a.sort.numeric:
            return None
        signs = {m[0]: c for m, c in k.coefficients(k.sub(a, b)).items() if len(m) == 1}
        nests = [(t, nest) for t in signs if (nest := _whole_nest(t)) is not None]
        for i, (s, one) in enumerate(nests):
            for t, other in nests[i + 1 :]:
                if signs[s] * signs[t] < 0 and (facts, s, t) not in self._never:
                    step = self._step(facts, s, one, t, other)
                    if step is not None and self.forms.holds(facts, step):
                        return step
                    self._never.add((facts, s, t))
        return None

    @scoped
    def _step(self, facts: Facts, s: Term, one: Cells, t: Term, other: Cells) -> Reindex | None:
        """Re-index s, which is peeled to `one`, as t, which is peeled to `other`."""
        xs, ys = self.tools.temporaries(one.arity, "s"), self.tools.temporaries(other.arity, "s")
        inside = facts.assume(one.domain(xs)), facts.assume(other.domain(ys))
        back: dict[Term, Term] = {}
        forward: dict[Term, Term] = {}
        for p, q in _same_arguments(one.at(xs)[0], other.at(ys)[0]):
            p, q = inside[0].simplify(p), inside[1].simplify(q)
            _solve(p, xs, q, back)
            _solve(q, ys, p, forward)
        if len(back) < len(xs) or len(forward) < len(ys):
            return None
        if set(back.values()) <= set(ys) and set(forward.values()) <= set(xs):
            return None  # the same ranges in another order
        return Reindex(s, t, tuple(k.abstract(forward[y], xs) for y in ys), tuple(k.abstract(back[x], ys) for x in xs))


def _whole_nest(t: Term) -> Cells | None:
    """All sums of a nest, with the guards around it."""
    depth = nested_sums(t, factors=True)
    return peel(t, depth, factors=True) if depth else None


def _same_arguments(a: Term, b: Term) -> Iterator[tuple[Term, Term]]:
    """Yield the integers that are the same argument of a function in two terms."""
    others = {f.args[0]: f for f in k.subterms_with(b, "app")}
    for f in k.subterms_with(a, "app"):
        for p, q in zip(f.args[1:], others[f.args[0]].args[1:]) if f.args[0] in others else ():
            if p.sort is k.INT and p.level == q.level == 0:
                yield p, q


def _solve(p: Term, xs: Terms, value: Term, solved: dict[Term, Term]) -> None:
    """Solve p = value for the one index that p has, if p is that index, or its negation, and something else."""
    found = [x for x in xs if x in p.free]
    if len(found) == 1 and found[0] not in solved:
        (x,) = found
        c = k.coefficients(p).get((x,), 0)
        rest = k.sub(p, k.scale(c, x))
        if c in (1, -1) and x not in rest.free:
            solved[x] = k.scale(c, k.sub(value, rest))
