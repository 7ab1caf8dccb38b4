"""Finding proofs that two values are equal: which big operators to split, merge, re-index. Untrusted; logic/equality.py checks."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from optigpu.logic import terms as k
from optigpu.logic.equality import (
    Case,
    EqualityStep,
    EqualitySteps,
    Extend,
    Maximum,
    Partition,
    Reindex,
    Split,
    Widen,
    split,
    widen,
)
from optigpu.logic.facts import Facts
from optigpu.logic.terms import Term, instantiate
from optigpu.search.equalities.maxima import Guess, MaximumSearch
from optigpu.search.equalities.sum_alignment import SumAlignment
from optigpu.search.equalities.sum_forms import SumForms
from optigpu.search.equalities.sum_terms import (
    bigs,
    bind_step,
    conditions,
    decides,
    first_atom,
    one_sided,
    size,
    step_result,
)
from optigpu.search.models import differ
from optigpu.search.search_tools import SearchTools

ROUNDS = 60
BUDGET = 1200  # work of one search: each step counts the sums that it has to deal with
DOUBT = 30  # after so much work without success, it is looked into more closely whether the values differ
DEPTH = 4  # nested case distinctions and bodies


class Different(Exception):
    """Two values are not equal, however the cases are distinguished."""


class Hopeless(Exception):
    """The values that a search is for are not equal."""


Found = dict[tuple[Facts, Term, Term, Guess | None], EqualitySteps | None]  # by what was searched for


class SumProver:
    """Searches are remembered in `found`: the programs of a script, one step apart, ask nearly the same."""

    def __init__(self, tools: SearchTools, found: Found | None = None) -> None:
        self.tools = tools
        self.found: Found = {} if found is None else found
        self.left = BUDGET
        self.goal: tuple[Facts, Term, Term] | None = None
        self.guess: Guess | None = None
        self.forms = SumForms(tools)
        self.alignment = SumAlignment(tools, self.forms)
        self.maxima = MaximumSearch(tools)

    def find(self, facts: Facts, a: Term, b: Term, guess: Guess | None = None) -> EqualitySteps | None:
        """Steps after which the judge sees that a = b. The search gives up after some amount of work, not of seconds.

        `guess`: where terms of maxima may be, if more is known of them.
        """
        asked = (facts, a, b, guess)
        if asked not in self.found:
            self.found[asked] = self.found_anew(*asked)
        return self.found[asked]

    def found_anew(self, facts: Facts, a: Term, b: Term, guess: Guess | None) -> EqualitySteps | None:
        """What earlier searches came across plays no part: the answer depends on the question alone."""
        self.left, self.goal, self.guess = BUDGET, (facts, a, b), guess
        self.forms.kept.clear()
        self.alignment.never_flat.clear()
        try:
            return self.attempt(facts, a, b, DEPTH)
        except Hopeless:
            return None

    def spend(self, a: Term, b: Term) -> bool:
        """One more step of the search, if there is enough left for it."""
        before, self.left = self.left, self.left - 1 - len(one_sided(a, b))
        in_doubt = self.left <= BUDGET - DOUBT < before
        if in_doubt and self.goal is not None and differ(*self.goal, thorough=True):
            raise Hopeless
        return self.left >= 0

    def attempt(self, facts: Facts, a: Term, b: Term, depth: int) -> EqualitySteps | None:
        try:
            return self.search(facts, a, b, depth)
        except Different:
            return None

    def search(self, facts: Facts, a: Term, b: Term, depth: int) -> EqualitySteps | None:
        a, b = facts.simplify(a), facts.simplify(b)
        if a is not b and differ(facts, a, b):
            raise Different
        steps: list[EqualityStep] = []
        for _ in range(ROUNDS):
            if a is b or self.tools.proves(facts, k.eq(a, b)):
                return tuple(steps)
            if not self.spend(a, b):
                return None
            step: Split | Reindex | Extend | Partition | Maximum | None = self.alignment.common(facts, a, b)
            choice = next((t.args[0] for t in (a, b) if t.op == "ite" and not k.is_guarded(t)), None)
            choice = choice and next((c for c in (choice, first_atom(choice)) if decides(facts, c)), None)
            if step is None and choice is not None:  # one side is a choice as a whole
                case = self.case(facts, choice, a, b, depth)
                return (*steps, case) if case is not None else None
            step = step or self.suggest(facts, a, b)
            if step is None:
                rest = self.by_prefixes(facts, a, b) or self.by_cases(facts, a, b, depth)
                if rest is not None:
                    return (*steps, *rest)
                step = (
                    self.inside(facts, a, b, depth)
                    or self.alignment.evened(facts, a, b)
                    or self.alignment.shifted(a, b)
                    or self.alignment.unrolled(a, b)
                )
                if step is None:
                    return None
            new = step_result(step)
            if isinstance(step, Partition):
                self.forms.kept.update(bigs(facts.simplify(new)))
            steps.append(step)
            a, b = (facts.simplify(k.replace_subterms(t, {step.old: new})) for t in (a, b))
        return None

    def by_cases(self, facts: Facts, a: Term, b: Term, depth: int) -> EqualitySteps | None:
        """Distinguish a condition on which one side depends."""
        if depth == 0:
            return None
        found = (self.case(facts, c, a, b, depth - 1) for c in conditions(a, b))
        case = next((c for c in found if c is not None), None)
        return None if case is None else (case,)

    def case(self, facts: Facts, test: Term, a: Term, b: Term, depth: int) -> Case | None:
        then = self.search(facts.assume(test), a, b, depth)
        other = self.search(facts.assume(k.not_(test)), a, b, depth) if then is not None else None
        return Case(test, then, other) if then is not None and other is not None else None

    def by_prefixes(self, facts: Facts, a: Term, b: Term) -> EqualitySteps | None:
        """Sums over windows of one body, all as differences of sums from one start: then only their ends differ."""
        steps: list[EqualityStep] = []

        def apply(step: Split | Widen, new: Term) -> None:
            nonlocal a, b
            steps.append(step)
            a, b = (facts.simplify(k.replace_subterms(t, {step.old: new})) for t in (a, b))

        groups: dict[Term, list[Term]] = {}
        for t in dict.fromkeys([*bigs(a), *bigs(b)]):
            if t.op == "sum":
                groups.setdefault(t.args[-1], []).append(t)
        for group in groups.values():
            lows = list(dict.fromkeys(t.args[0] for t in group))
            first = next((x for x in lows if all(self.tools.proves(facts, k.le(x, y)) for y in lows)), None)
            if len(lows) == 1 or first is None:
                continue
            for t in group:
                if t.args[0] is not first and self.tools.proves(facts, k.le(t.args[0], t.args[1])):
                    apply(Widen(t, first), widen(t, first))
        for _ in range(ROUNDS if steps else 0):
            ends = [t for t in dict.fromkeys([*bigs(a), *bigs(b)]) if t.op == "sum"]
            near = next(
                (
                    (s, t.args[1])
                    for s in ends
                    for t in ends
                    if s.args[0] is t.args[0] and s.args[2] is t.args[2]
                    and k.is_num(k.sub(s.args[1], t.args[1])) and k.sub(s.args[1], t.args[1]).data > 0
                    and self.tools.proves(facts, k.le(t.args[0], t.args[1]))
                ),
                None,
            )  # fmt: skip
            if near is None:
                break
            apply(Split(*near), split(*near))
        return tuple(steps) if steps and self.tools.proves(facts, k.eq(a, b)) else None

    def suggest(self, facts: Facts, a: Term, b: Term) -> Split | Reindex | Extend | Partition | Maximum | None:
        """A step that makes a sum simpler, or two of them alike."""
        only = one_sided(a, b)
        left = {m[0]: c for m, c in k.coefficients(k.sub(a, b)).items() if len(m) == 1} if a.sort.numeric else {}
        pairs = [(s, t) for i, s in enumerate(only) for t in only[i + 1 :] if s.op == t.op]
        for t in only:
            simpler = self.forms.settled(facts, t) or self.forms.simpler(facts, t)
            if simpler is not None:
                return simpler
        maximum = self.maxima.between(facts, a, b, self.guess)
        if maximum is not None:
            return maximum
        for s, t in pairs:
            for old, like in ((s, t), (t, s)) if s.op == "sum" else ():
                opposite = left.get(s, 0) * left.get(t, 0) < 0
                flat = self.alignment.flattened(facts, old, like) or (
                    self.alignment.guarded(facts, old, like) if opposite else None
                )
                if flat is not None:
                    return flat
        plainest = sorted(only, key=lambda t: size(t.args[-1]))  # others are brought into its form
        for i, s in enumerate(plainest):
            for t in plainest[i + 1 :]:
                step = self.alignment.align(facts, s, t) if s.op == t.op else None
                if step is not None:
                    return step
        return None

    def inside(self, facts: Facts, a: Term, b: Term, depth: int) -> Extend | None:
        """Sums over one range that are equal because their bodies are."""
        if depth == 0:
            return None
        only = one_sided(a, b)
        for i, s in enumerate(only):
            for t in only[i + 1 :]:
                if s.op == t.op and s.args[:-1] == t.args[:-1]:
                    (x,) = self.tools.temporaries(1, "e")
                    here = facts.assume(k.le(s.args[-3], x), k.lt(x, s.args[-2]))
                    inner = self.attempt(here, instantiate(s.args[-1], (x,)), instantiate(t.args[-1], (x,)), depth - 1)
                    if inner is not None:
                        return Extend(s, t.args[-1], tuple(bind_step(self.tools, step, x) for step in inner))
        return self.together(facts, a, b, depth)

    def together(self, facts: Facts, a: Term, b: Term, depth: int) -> Extend | None:
        """Several sums over one range cancel, index by index: one of them has the body that the others leave for it."""
        if depth == 0 or a.sort not in (k.INT, k.REAL):
            return None
        groups: dict[object, list[tuple[Term, Any]]] = {}
        for m, c in k.coefficients(k.sub(a, b)).items():
            sums = [t for t in m if t.op == "sum" and t.level == 0]
            if len(sums) == 1:
                rest = tuple(t for t in m if t is not sums[0])
                groups.setdefault((rest, sums[0].args[:2]), []).append((sums[0], c))
        for group in groups.values():
            if len(group) < 3:
                continue
            (x,) = self.tools.temporaries(1, "e")
            for s, c in group:
                others = [(t.args[-1], Fraction(-d) / c) for t, d in group if t is not s]
                if s.sort is k.INT and any(by.denominator > 1 for _, by in others):
                    continue
                bodies = [k.mul(k.num(by, s.sort), instantiate(body, (x,))) for body, by in others]
                wanted = k.add(*bodies)
                inside = facts.assume(k.le(s.args[0], x), k.lt(x, s.args[1]))
                inner = self.attempt(inside, instantiate(s.args[-1], (x,)), wanted, depth - 1)
                if inner is not None:
                    return Extend(s, k.abstract(wanted, (x,)), tuple(bind_step(self.tools, step, x) for step in inner))
        return None
