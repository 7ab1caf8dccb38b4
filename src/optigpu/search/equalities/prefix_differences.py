"""Sums over windows of one body as differences of prefix sums: then only their ends differ.

Sum(2, n, f) - Sum(1, n - 1, f) = f(n - 1) - f(1): both are sums from 1 on, less a prefix; the rest is cut off one by one.
"""

from __future__ import annotations

from optigpu.logic import terms as k
from optigpu.logic.equality import EqualityStep, EqualitySteps, Split, Widen, split, widen
from optigpu.logic.facts import Facts
from optigpu.logic.terms import Term
from optigpu.search.equalities.sum_terms import big_operators
from optigpu.search.search_tools import SearchTools

MAX_PREFIX_CUTS = 60


def prefix_difference_steps(tools: SearchTools, facts: Facts, a: Term, b: Term) -> EqualitySteps | None:
    """Write all sums of one body as sums from one start, and cut their ends. Return the steps if a = b follows then."""
    steps: list[EqualityStep] = []

    def apply(step: Split | Widen, new: Term) -> None:
        nonlocal a, b
        steps.append(step)
        a, b = (facts.simplify(k.replace_subterms(t, {step.old: new})) for t in (a, b))

    groups: dict[Term, list[Term]] = {}
    for t in _sums(a, b):
        groups.setdefault(t.args[-1], []).append(t)
    for group in groups.values():
        lows = list(dict.fromkeys(t.args[0] for t in group))
        first = next((x for x in lows if all(tools.proves(facts, k.le(x, y)) for y in lows)), None)
        if len(lows) == 1 or first is None:
            continue
        for t in group:
            if t.args[0] is not first and tools.proves(facts, k.le(t.args[0], t.args[1])):
                apply(Widen(t, first), widen(t, first))
    for _ in range(MAX_PREFIX_CUTS if steps else 0):
        cut = _cut_at_other_end(tools, facts, _sums(a, b))
        if cut is None:
            break
        apply(Split(*cut), split(*cut))
    return tuple(steps) if steps and tools.proves(facts, k.eq(a, b)) else None


def _sums(a: Term, b: Term) -> list[Term]:
    return [t for t in dict.fromkeys([*big_operators(a), *big_operators(b)]) if t.op == "sum"]


def _cut_at_other_end(tools: SearchTools, facts: Facts, sums: list[Term]) -> tuple[Term, Term] | None:
    """Find a sum that ends a known number of indices after another one of the same body and start; return it and that end."""
    for s in sums:
        for t in sums:
            if s.args[0] is not t.args[0] or s.args[2] is not t.args[2]:
                continue
            further = k.sub(s.args[1], t.args[1])
            if k.is_num(further) and further.data > 0 and tools.proves(facts, k.le(t.args[0], t.args[1])):
                return s, t.args[1]
    return None
