"""Finding proofs that two values are equal: which big operators to split, merge or re-index. Untrusted; logic/equality.py checks.

For Sum(0, 4 * n, f) = Sum(0, n, k: Sum(0, 4, t: f(4 * k + t))) the proof is one step: the nested sum re-indexed by i = 4 * k + t.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from optigpu.logic import terms as k
from optigpu.logic.cells import Terms
from optigpu.logic.equality import (
    Case,
    EqualityStep,
    EqualitySteps,
    Extend,
    Partition,
    Reindex,
    Replace,
    Split,
    branches,
)
from optigpu.logic.facts import Facts
from optigpu.logic.terms import Term, instantiate
from optigpu.search.equalities.determined_indices import DeterminedIndices
from optigpu.search.equalities.equal_quotients import equal_quotient
from optigpu.search.equalities.known_equations import known_equation, vanishing_sum
from optigpu.search.equalities.maxima import Guess, MaximumSearch
from optigpu.search.equalities.prefix_differences import prefix_difference_steps
from optigpu.search.equalities.sum_cuts import SumCuts
from optigpu.search.equalities.sum_forms import SumForms
from optigpu.search.equalities.sum_matching import SumMatching
from optigpu.search.equalities.sum_nests import SumNests
from optigpu.search.equalities.sum_reindexing import MAX_STRIDE, SMALL_STRIDE, SumReindexing
from optigpu.search.equalities.sum_terms import (
    Rewrite,
    big_operators,
    bind_step,
    conditions,
    decides,
    first_atom,
    one_sided,
    only_values,
    possible_ranges,
    rewrite_result,
    single_values,
    term_size,
    zero_divisors,
)
from optigpu.search.refutation import differ
from optigpu.search.search_tools import SearchTools

MAX_REWRITES = 60  # of one equation
SEARCH_BUDGET = 1200  # work of one search: each step counts the sums that it has to deal with
DOUBT_AFTER = 30  # after so much work without success, it is looked into more closely whether the values differ
MAX_NESTED_GOALS = 4  # case distinctions and bodies inside each other


class ValuesDiffer(Exception):
    """Two values are not equal, however the cases are distinguished."""


class GoalRefuted(Exception):
    """The values that the whole search is for are not equal."""


# by what was searched for
EqualityProofs: TypeAlias = dict[tuple[Facts, Term, Term, Guess | None], EqualitySteps | None]


class EqualitySearch:
    """Finds equality steps. Results are remembered in `proofs`: consecutive programs of a script ask nearly the same questions."""

    def __init__(self, tools: SearchTools, proofs: EqualityProofs | None = None) -> None:
        self.tools = tools
        self.proofs: EqualityProofs = {} if proofs is None else proofs
        self.budget = SEARCH_BUDGET
        self.goal: tuple[Facts, Term, Term] | None = None
        self.choices = 0  # outermost choices around the goal whose cases are being distinguished
        self.guess: Guess | None = None
        self.never_alike: set[tuple[Facts, Term, Term]] = set()  # pairs are met again in each round
        self.forms = SumForms(tools)
        self.cuts = SumCuts(tools)
        self.reindexing = SumReindexing(tools, self.forms)
        self.nests = SumNests(tools)
        self.matching = SumMatching(tools, self.forms)
        self.determined = DeterminedIndices(tools, self.forms)
        self.maxima = MaximumSearch(tools)

    def find(self, facts: Facts, a: Term, b: Term, guess: Guess | None = None) -> EqualitySteps | None:
        """Find steps after which the judge proves a = b. The search is bounded by an amount of work, not by time.

        `guess`: where terms of maxima may be, if the caller knows.
        """
        question = (facts, a, b, guess)
        if question not in self.proofs:
            self.proofs[question] = self._search_afresh(*question)
        return self.proofs[question]

    def _search_afresh(self, facts: Facts, a: Term, b: Term, guess: Guess | None) -> EqualitySteps | None:
        """Search without any state of earlier searches, so that the answer depends on the question alone."""
        self.budget, self.goal, self.guess, self.choices = SEARCH_BUDGET, (facts, a, b), guess, 0
        self.never_alike.clear()
        self.forms.restart()
        self.reindexing.restart()
        self.matching.restart()
        sums = [*big_operators(a), *big_operators(b)]
        values = {v: c for v, c in single_values(facts).items() if any(v in t.free for t in sums)}
        a, b = k.substitute(a, values), k.substitute(b, values)
        try:
            steps = self._attempt(facts, a, b, MAX_NESTED_GOALS)
        except GoalRefuted:
            return None
        return None if steps is None else (*(Replace(v, c) for v, c in values.items()), *steps)

    def _spend(self, a: Term, b: Term) -> bool:
        """Pay for one more step. Return False if the budget is used up."""
        before, self.budget = self.budget, self.budget - 1 - len(one_sided(a, b))
        in_doubt = self.budget <= SEARCH_BUDGET - DOUBT_AFTER < before
        if in_doubt and self.goal is not None and differ(*self.goal, thorough=True):
            raise GoalRefuted
        return self.budget >= 0

    def _attempt(self, facts: Facts, a: Term, b: Term, depth: int) -> EqualitySteps | None:
        choices = self.choices
        try:
            return self._search(facts, a, b, depth)
        except ValuesDiffer:
            self.choices = choices
            return None

    def _search(self, facts: Facts, a: Term, b: Term, depth: int) -> EqualitySteps | None:
        """Rewrite both sides until the judge proves them equal. `depth`: how many goals may be nested inside this one."""
        a, b = facts.simplify(a), facts.simplify(b)
        asked = self._is_asked(facts, a, b)
        if asked and a is not b and differ(facts, a, b):
            raise ValuesDiffer
        steps: list[EqualityStep] = []
        for _ in range(MAX_REWRITES):
            if a is b or (asked and self.tools.proves(facts, k.eq(a, b))):
                return tuple(steps)
            if not self._spend(a, b):
                return None
            cuts = self.cuts.common(facts, a, b)
            step: Rewrite | None = None if cuts else equal_quotient(self.tools, facts, a, b)
            choice = None if cuts or step else _outermost_choice(facts, a, b)
            if choice is not None:
                self.choices += 1
                case = self._case(facts, choice, a, b, depth)
                self.choices -= 1
                return (*steps, case) if case is not None else None
            if step is None:
                cuts = cuts or self.cuts.at_shorter_end(facts, a, b)
                step = None if cuts else self._rewrite(facts, a, b)
            if step is None and not cuts:
                rest = prefix_difference_steps(self.tools, facts, a, b) or self._by_cases(facts, a, b, depth)
                if rest is not None:
                    return (*steps, *rest)
                step = self._last_resort(facts, a, b, depth)
                if step is None:
                    return None
            for rewrite in cuts if step is None else (step, *self._residues_apart(facts, step)):
                new = rewrite_result(rewrite)
                if isinstance(rewrite, Partition):
                    self.forms.keep_guards(big_operators(facts.simplify(new)))
                steps.append(rewrite)
                a, b = (facts.simplify(k.replace_subterms(t, {rewrite.old: new})) for t in (a, b))
        return None

    def _residues_apart(self, facts: Facts, step: Rewrite) -> list[Split]:
        """Cut a sum that a step has split by residues into its summands."""
        if isinstance(step, Reindex) and step.new in self.reindexing.over_residues:
            return self.cuts.in_summands(facts, step.new)
        return []

    # Cases

    def _is_asked(self, facts: Facts, a: Term, b: Term) -> bool:
        """Is the judge asked before the cases of an outermost choice are distinguished? Of n choices inside each other it is asked
        for the first, second, fourth, eighth ..: else the work would be quadratic."""
        return self.choices & (self.choices - 1) == 0 or _outermost_choice(facts, a, b) is None

    def _by_cases(self, facts: Facts, a: Term, b: Term, depth: int) -> EqualitySteps | None:
        """Distinguish the cases of a condition inside one side, or use that a variable has only one value."""
        if depth == 0:
            return None
        tests = (
            *conditions(a, b),
            *only_values(facts, a, b),
            *possible_ranges(facts, a, b),
            *zero_divisors(facts, a, b),
        )
        cases = (self._case(facts, c, a, b, depth - 1) for c in tests)
        case = next((c for c in cases if c is not None), None)
        return None if case is None else (case,)

    def _case(self, facts: Facts, test: Term, a: Term, b: Term, depth: int) -> Case | None:
        (then_a, other_a), (then_b, other_b) = branches(a, test), branches(b, test)
        then = self._search(facts.assume(test), then_a, then_b, depth)
        if then is None:
            return None
        other = self._search(facts.assume(k.not_(test)), other_a, other_b, depth)
        return None if other is None else Case(test, then, other)

    # Rewrites

    def _rewrite(self, facts: Facts, a: Term, b: Term) -> Rewrite | None:
        """Find a step that simplifies a sum, or makes two sums more alike."""
        matched = self.matching.matched(facts, a, b)
        if matched is not None:
            return matched
        candidates = one_sided(a, b)
        for t in candidates:
            simpler = self.forms.absorbed_first_index(facts, t) or self.forms.simpler(facts, t)
            simpler = simpler or self.determined.dropped(facts, t, candidates) or vanishing_sum(self.tools, facts, t)
            if simpler is not None:
                return simpler
        maximum = self.maxima.between(facts, a, b, self.guess)
        if maximum is not None:
            return maximum
        signs = {m[0]: c for m, c in k.coefficients(k.sub(a, b)).items() if len(m) == 1} if a.sort.numeric else {}
        for s, t in ((s, t) for i, s in enumerate(candidates) for t in candidates[i + 1 :] if s.op == t.op == "sum"):
            opposite = signs.get(s, 0) * signs.get(t, 0) < 0
            for old, like in ((s, t), (t, s)):
                flat = self.reindexing.flattened(facts, old, like)
                if flat is not None:
                    return flat
                guarded = self.reindexing.guarded(facts, old, like) if opposite else None
                if guarded is not None:
                    return guarded
            alike = self._alike(facts, s, t) if opposite else None
            if alike is not None:
                return alike
        plainest = sorted(candidates, key=lambda t: term_size(t.args[-1]))  # others are brought into its form
        for i, s in enumerate(plainest):
            for t in plainest[i + 1 :]:
                step = self._aligned(facts, s, t, len(candidates)) if s.op == t.op else None
                if step is not None:
                    return step
        return next((step for t in candidates if (step := self.reindexing.by_digits(facts, t)) is not None), None)

    def _alike(self, facts: Facts, s: Term, t: Term) -> Rewrite | None:
        """Rewrite one of two nests into the other if they differ only in the order of ranges and in how guards are written."""
        if (facts, s, t) in self.never_alike:
            return None
        step = self.nests.corresponding(s, t)
        if step is not None and self.forms.holds(facts, step):
            return step
        self.never_alike.add((facts, s, t))
        return None

    def _aligned(self, facts: Facts, s: Term, t: Term, count: int) -> Rewrite | None:
        """Rewrite one of two sums into the form of the other, or split it so that one part is the other.

        Beside c sums over every c-th index, as an unrolled loop has them, a sum is split by residues of c even if c is large.
        `count`: of all sums there are."""
        exchanged = self.nests.exchanged(s, t)
        if exchanged is not None:
            return exchanged
        if s.args[-1] is t.args[-1]:
            return self.cuts.at_other_end(facts, s, t)
        for old, like in ((t, s), (s, t)):
            moved = self.reindexing.moved(facts, old, like) if s.op in ("sum", "prod") else None
            if moved is not None:
                return moved
        if s.op != "sum":
            return None
        most = max(SMALL_STRIDE, count)
        return self.reindexing.by_residue(t, s, most) or self.reindexing.by_residue(s, t, most)

    def _last_resort(self, facts: Facts, a: Term, b: Term, depth: int) -> Rewrite | None:
        """Find a step that does not simplify anything by itself."""
        bounded = (self.forms.bounded(facts, t) for t in one_sided(a, b))
        return (
            self.cuts.at_compared_end(facts, a, b)
            or self._by_large_residue(a, b)
            or self._equal_bodies(facts, a, b, depth)
            or known_equation(self.tools, facts, a, b)
            or self.cuts.even_ends(facts, a, b)
            or self.reindexing.shifted(a, b)
            or self.cuts.first_summand(a, b)
            or self.cuts.last_of_argmax(facts, a, b)
            or next((step for step in bounded if step is not None), None)
        )

    def _by_large_residue(self, a: Term, b: Term) -> Rewrite | None:
        """Split a sum by residues of a number that is large, as that of an unrolled loop may be."""
        sums = [t for t in one_sided(a, b) if t.op == "sum"]
        pairs = ((s, t) for s in sums for t in sums if s is not t)
        return next((step for s, t in pairs if (step := self.reindexing.by_residue(s, t, MAX_STRIDE))), None)

    def _equal_bodies(self, facts: Facts, a: Term, b: Term, depth: int) -> Extend | None:
        """Find two sums over one range whose bodies can be proved equal."""
        if depth == 0:
            return None
        candidates = one_sided(a, b)
        for i, s in enumerate(candidates):
            for t in candidates[i + 1 :]:
                if s.op == t.op and s.args[:-1] == t.args[:-1]:
                    (x,) = self.tools.temporaries(1, "e")
                    inside = facts.assume(k.le(s.args[-3], x), k.lt(x, s.args[-2]))
                    bodies = instantiate(s.args[-1], (x,)), instantiate(t.args[-1], (x,))
                    inner = self._attempt(inside, *bodies, depth - 1)
                    if inner is not None:
                        return Extend(s, t.args[-1], tuple(bind_step(self.tools, step, x) for step in inner))
        return self._cancelling_bodies(facts, a, b, depth)

    def _cancelling_bodies(self, facts: Facts, a: Term, b: Term, depth: int) -> Extend | None:
        """Find three or more sums over one range that cancel index by index: replace the body of one by what the others leave."""
        if depth == 0 or a.sort not in (k.INT, k.REAL):
            return None
        groups: dict[tuple[Terms, Terms], list[tuple[Term, Fraction]]] = {}  # by the other factors and the range
        for m, c in k.coefficients(k.sub(a, b)).items():
            sums = [t for t in m if t.op == "sum" and t.level == 0]
            if len(sums) == 1:
                factors = tuple(t for t in m if t is not sums[0])
                groups.setdefault((factors, sums[0].args[:2]), []).append((sums[0], Fraction(c)))
        for group in groups.values():
            if len(group) < 3:
                continue
            (x,) = self.tools.temporaries(1, "e")
            for s, c in group:
                others = [(t.args[-1], -d / c) for t, d in group if t is not s]
                if s.sort is k.INT and any(by.denominator > 1 for _, by in others):
                    continue
                wanted = k.add(*(k.mul(k.num(by, s.sort), instantiate(body, (x,))) for body, by in others))
                inside = facts.assume(k.le(s.args[0], x), k.lt(x, s.args[1]))
                inner = self._attempt(inside, instantiate(s.args[-1], (x,)), wanted, depth - 1)
                if inner is not None:
                    return Extend(s, k.abstract(wanted, (x,)), tuple(bind_step(self.tools, step, x) for step in inner))
        return None


def _outermost_choice(facts: Facts, a: Term, b: Term) -> Term | None:
    """Return the condition, if one side is a choice `c ? x : y` as a whole."""
    choice = next((t.args[0] for t in (a, b) if t.op == "ite" and not k.is_guarded(t)), None)
    return choice and next((c for c in (choice, first_atom(choice)) if decides(facts, c)), None)
