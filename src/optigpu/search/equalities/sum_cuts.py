"""Splits of sums: cut one at the end of another, so that parts of them are the same.

Sum(0, n, f) - Sum(0, m, f) with m <= n is Sum(m, n, f) once the first sum is split at m.
"""

from __future__ import annotations

from optigpu.logic import terms as k
from optigpu.logic.equality import Split, split
from optigpu.logic.facts import Facts
from optigpu.logic.terms import Term, instantiate
from optigpu.search.equalities.sum_terms import nesting, one_sided
from optigpu.search.search_tools import SearchTools

MAX_UNROLLED_SUMMANDS = 40


class SumCuts:
    """Steps that split one sum."""

    def __init__(self, tools: SearchTools) -> None:
        self.tools = tools

    def common(self, facts: Facts, a: Term, b: Term) -> list[Split]:
        """Cut off the last summands that occur by themselves; or else what two sums of one body do not have in common."""
        candidates = one_sided(a, b)
        summands = {x for m in k.coefficients(k.sub(a, b)) for x in m} if a.sort.numeric else set()
        cuts: list[Split] = []
        by_body: dict[tuple[str, Term], list[Term]] = {}
        for t in candidates:
            by_body.setdefault((t.op, t.args[-1]), []).append(t)
            if t.op in ("sum", "prod"):
                last = k.sub(t.args[1], k.ONE)
                summand = instantiate(t.args[2], (last,))
                by_itself = summand in summands or (summand.op == "ite" and facts.simplify(summand) in summands)
                if by_itself and self.tools.proves(facts, k.le(t.args[0], last)):
                    cuts.append(Split(t, last))
        pairs = ((s, t) for sums in by_body.values() for i, s in enumerate(sums) for t in sums[i + 1 :])
        others = (self.at_other_end(facts, s, t) for s, t in pairs if not cuts)
        return cuts or [c for c in [next((c for c in others if c is not None), None)] if c is not None]

    def at_shorter_end(self, facts: Facts, a: Term, b: Term) -> list[Split]:
        """Cut off the last summands of a sum that is another one without them, and of all sums over its range.

        The bodies may differ: conditions that hold for all indices of the shorter sum are simplified away there, and a
        shorter sum of numbers may be a known number.
        """
        candidates = [t for t in one_sided(a, b) if t.op in ("sum", "prod")]
        for s, t in ((s, t) for s in candidates for t in candidates if s.op == t.op and s.args[0] is t.args[0]):
            more, at = k.sub(t.args[1], s.args[1]), s.args[1]
            longer = k.is_num(more) and more.data > 0 and self.tools.proves(facts, _is_cut(t, at))
            if longer and facts.simplify(k.big(t.op, t.args[0], at, t.args[2])) is s:
                return [Split(x, at) for x in candidates if x.args[:2] == t.args[:2]]
        return []

    def in_summands(self, facts: Facts, t: Term) -> list[Split]:
        """Cut a sum over a range of numbers into its summands."""
        cuts: list[Split] = []
        t = facts.simplify(t)
        while t.op == "sum" and k.is_num(count := k.sub(t.args[1], t.args[0])) and count.data > 1:
            cuts.append(Split(t, k.add(t.args[0], k.ONE)))
            t = facts.simplify(k.big("sum", cuts[-1].at, t.args[1], t.args[2]))
        return cuts

    def at_other_end(self, facts: Facts, s: Term, t: Term) -> Split | None:
        """Split one of two sums of the same body at an end of the other."""
        for whole, part in ((s, t), (t, s)):
            low, high = whole.args[-3], whole.args[-2]
            for at in (part.args[-2], part.args[-3]):
                inside = _is_cut(whole, at)
                if at not in (low, high) and self.tools.proves(facts, inside) and split(whole, at) is not whole:
                    return Split(whole, at)
        return None

    def at_compared_end(self, facts: Facts, a: Term, b: Term) -> Split | None:
        """Split a maximum at the end of one of the same values that a fact compares with something."""
        compared = [i for i in facts.items if i.op in ("le", "lt") and "fold_max" in i.ops]
        parts = [s for i in compared for s in k.subterms_with(i, "fold_max") if s.level == 0]
        pairs = ((t, s) for t in one_sided(a, b) for s in parts if t.op == "fold_max" and t.args[-1] is s.args[-1])
        ends = (self.at_other_end(facts, t, s) for t, s in pairs if t is not s)
        return next((cut for cut in ends if cut is not None and cut.old not in parts), None)

    def even_ends(self, facts: Facts, a: Term, b: Term) -> Split | None:
        """Split a sum whose range differs from another's by a few indices at one end, whatever the bodies are."""
        candidates = one_sided(a, b)
        for s in candidates:
            for t in candidates:
                if s.op != t.op or s.args[-1] is t.args[-1]:
                    continue
                low, high = s.args[-3], s.args[-2]
                for same_end, at in ((low is t.args[-3], t.args[-2]), (high is t.args[-2], t.args[-3])):
                    near = k.is_num(k.sub(high, at)) or k.is_num(k.sub(at, low))
                    ordered = _is_cut(s, at)
                    cut = same_end and near and at not in (low, high) and split(s, at) is not s
                    if cut and self.tools.proves(facts, ordered):
                        return Split(s, at)
        return None

    def last_of_argmax(self, facts: Facts, a: Term, b: Term) -> Split | None:
        """Split off the last index of an argmax over two indices or more."""
        for t in (t for t in one_sided(a, b) if t.op == "argmax"):
            last = k.sub(t.args[1], k.ONE)
            if self.tools.proves(facts, k.lt(t.args[0], last)):
                return Split(t, last)
        return None

    def first_summand(self, a: Term, b: Term) -> Split | None:
        """Split off the first summand of a sum with a known number of summands."""
        for t in sorted(one_sided(a, b), key=lambda t: -nesting(t)):
            low, high = t.args[-3], t.args[-2]
            count = k.sub(high, low)
            if k.is_num(count) and 1 < count.data <= MAX_UNROLLED_SUMMANDS and t.op not in ("fold_max", "argmax"):
                return Split(t, k.add(low, k.ONE))
        return None


def _is_cut(t: Term, at: Term) -> Term:
    """Return the condition that the range of t may be split there; no part of an argmax is empty."""
    order = k.lt if t.op == "argmax" else k.le
    return k.and_(order(t.args[-3], at), order(at, t.args[-2]))
