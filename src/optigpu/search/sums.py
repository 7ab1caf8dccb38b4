"""Finding proofs that two values are equal: which big operators to split, merge, re-index. Untrusted; logic/equality.py checks."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from optigpu.logic import terms as k
from optigpu.logic.cells import Cells, Terms
from optigpu.logic.equality import (
    Case,
    Equality,
    EqualityStep,
    EqualitySteps,
    Extend,
    Maximum,
    Partition,
    Reindex,
    Split,
    Widen,
    partition,
    peel,
    rewritten,
    split,
    widen,
)
from optigpu.logic.facts import Facts
from optigpu.logic.judge import Judge
from optigpu.logic.terms import Term, instantiate
from optigpu.search.inverse import invert, temporaries
from optigpu.search.maxima import Guess, MaximumSearch
from optigpu.search.models import differ
from optigpu.search.questions import follows

ROUNDS = 60
BUDGET = 1200  # work of one search: each step counts the sums that it has to deal with
DOUBT = 30  # after so much work without success, it is looked into more closely whether the values differ
DEPTH = 4  # nested case distinctions and bodies
MAX_UNROLL = 40
MAX_STRIDE = 8
BIG = ("sum", "prod", "all", "fold_max")


class Different(Exception):
    """Two values are not equal, however the cases are distinguished."""


class Hopeless(Exception):
    """The values that a search is for are not equal."""


Found = dict[tuple[Facts, Term, Term, Guess | None], EqualitySteps | None]  # by what was searched for


class SumProver:
    """Searches are remembered in `found`: the programs of a script, one step apart, ask nearly the same."""

    def __init__(self, judge: Judge, found: Found | None = None) -> None:
        self.judge = judge
        self.found: Found = {} if found is None else found
        self.left = BUDGET
        self.goal: tuple[Facts, Term, Term] | None = None
        self.guess: Guess | None = None
        self.equality = Equality(judge)
        self.maxima = MaximumSearch(judge)
        self.kept: set[Term] = set()  # sums whose condition is wanted as it is
        self.never_flat: set[tuple[Facts, Term, Term]] = set()  # pairs are met again in each round

    def proves(self, facts: Facts, goal: Term) -> bool:
        return follows(self.judge, facts, goal)

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
        self.kept.clear()
        self.never_flat.clear()
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
            if a is b or self.proves(facts, k.eq(a, b)):
                return tuple(steps)
            if not self.spend(a, b):
                return None
            step: Split | Reindex | Extend | Partition | Maximum | None = self.common(facts, a, b)
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
                    or self.evened(facts, a, b)
                    or self.shifted(a, b)
                    or self.unrolled(a, b)
                )
                if step is None:
                    return None
            new = _result(step)
            if isinstance(step, Partition):
                self.kept.update(bigs(facts.simplify(new)))
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
            first = next((x for x in lows if all(self.proves(facts, k.le(x, y)) for y in lows)), None)
            if len(lows) == 1 or first is None:
                continue
            for t in group:
                if t.args[0] is not first and self.proves(facts, k.le(t.args[0], t.args[1])):
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
                    and self.proves(facts, k.le(t.args[0], t.args[1]))
                ),
                None,
            )  # fmt: skip
            if near is None:
                break
            apply(Split(*near), split(*near))
        return tuple(steps) if steps and self.proves(facts, k.eq(a, b)) else None

    def common(self, facts: Facts, a: Term, b: Term) -> Split | None:
        """Sums of the same that end one after the other, or inside each other: cut off what they do not have in common."""
        only = one_sided(a, b)
        single = {m[0] for m in k.coefficients(k.sub(a, b)) if len(m) == 1} if a.sort.numeric else set()
        for t in (t for t in only if t.op == "sum"):
            last = k.sub(t.args[1], k.ONE)
            if instantiate(t.args[2], (last,)) in single and self.proves(facts, k.le(t.args[0], last)):
                return Split(t, last)
        pairs = ((s, t) for i, s in enumerate(only) for t in only[i + 1 :] if s.op == t.op)
        cuts = (self.cut(facts, s, t) for s, t in pairs if s.args[-1] is t.args[-1])
        return next((c for c in cuts if c is not None), None)

    def suggest(self, facts: Facts, a: Term, b: Term) -> Split | Reindex | Extend | Partition | Maximum | None:
        """A step that makes a sum simpler, or two of them alike."""
        only = one_sided(a, b)
        left = {m[0]: c for m, c in k.coefficients(k.sub(a, b)).items() if len(m) == 1} if a.sort.numeric else {}
        pairs = [(s, t) for i, s in enumerate(only) for t in only[i + 1 :] if s.op == t.op]
        for t in only:
            simpler = self.settled(facts, t) or self.simpler(facts, t)
            if simpler is not None:
                return simpler
        maximum = self.maxima.between(facts, a, b, self.guess)
        if maximum is not None:
            return maximum
        for s, t in pairs:
            for old, like in ((s, t), (t, s)) if s.op == "sum" else ():
                opposite = left.get(s, 0) * left.get(t, 0) < 0
                flat = self.flattened(facts, old, like) or (self.guarded(facts, old, like) if opposite else None)
                if flat is not None:
                    return flat
        plainest = sorted(only, key=lambda t: size(t.args[-1]))  # others are brought into its form
        for i, s in enumerate(plainest):
            for t in plainest[i + 1 :]:
                step = self.align(facts, s, t) if s.op == t.op else None
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
                    (x,) = temporaries(1, "e")
                    here = facts.assume(k.le(s.args[-3], x), k.lt(x, s.args[-2]))
                    inner = self.attempt(here, instantiate(s.args[-1], (x,)), instantiate(t.args[-1], (x,)), depth - 1)
                    if inner is not None:
                        return Extend(s, t.args[-1], tuple(bind_step(step, x) for step in inner))
        return self.together(facts, a, b, depth)

    def evened(self, facts: Facts, a: Term, b: Term) -> Split | None:
        """Ranges that differ by a few indices at an end: cut these off, whatever the bodies are."""
        only = one_sided(a, b)
        for s in only:
            for t in only:
                if s.op != t.op or s.args[-1] is t.args[-1]:
                    continue
                low, high = s.args[-3], s.args[-2]
                for same_end, at in ((low is t.args[-3], t.args[-2]), (high is t.args[-2], t.args[-3])):
                    near = k.is_num(k.sub(high, at)) or k.is_num(k.sub(at, low))
                    ordered = k.and_(k.le(low, at), k.le(at, high))
                    cut = same_end and near and at not in (low, high) and split(s, at) is not s
                    if cut and self.proves(facts, ordered):
                        return Split(s, at)
        return None

    def shifted(self, a: Term, b: Term) -> Reindex | None:
        """Sums over ranges of one size, over the same range."""
        sums = [t for t in one_sided(a, b) if t.op == "sum"]
        for t in sums:
            for like in sums:
                by = k.sub(t.args[0], like.args[0])
                if (
                    k.sub(t.args[1], like.args[1]) is not by
                    or by is k.ZERO
                    or like.args[0].key > t.args[0].key
                    or t.args[2] is like.args[2]
                ):
                    continue
                (x,) = temporaries(1, "s")
                new = k.big(
                    "sum", like.args[0], like.args[1], k.abstract(instantiate(t.args[2], (k.add(x, by),)), (x,))
                )
                if peel(new, 1) is not None:
                    there, back = k.abstract(k.sub(x, by), (x,)), k.abstract(k.add(x, by), (x,))
                    return Reindex(t, new, (there,), (back,))
        return None

    def unrolled(self, a: Term, b: Term) -> Split | None:
        """The first of a number of summands that is known, where nothing else helps."""
        for t in sorted(one_sided(a, b), key=lambda t: -nesting(t)):
            low, high = t.args[-3], t.args[-2]
            size = k.sub(high, low)
            if k.is_num(size) and 1 < size.data <= MAX_UNROLL and t.op != "fold_max":
                return Split(t, k.add(low, k.ONE))
        return None

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
            (x,) = temporaries(1, "e")
            for s, c in group:
                others = [(t.args[-1], Fraction(-d) / c) for t, d in group if t is not s]
                if s.sort is k.INT and any(by.denominator > 1 for _, by in others):
                    continue
                bodies = [k.mul(k.num(by, s.sort), instantiate(body, (x,))) for body, by in others]
                wanted = k.add(*bodies)
                inside = facts.assume(k.le(s.args[0], x), k.lt(x, s.args[1]))
                inner = self.attempt(inside, instantiate(s.args[-1], (x,)), wanted, depth - 1)
                if inner is not None:
                    return Extend(s, k.abstract(wanted, (x,)), tuple(bind_step(step, x) for step in inner))
        return None

    # One sum in a simpler way

    def plain(self, facts: Facts, t: Term) -> tuple[Term, EqualitySteps]:
        """A term with nested and guarded sums as sums over one range, and the steps to it."""
        t = facts.simplify(t)
        steps: list[EqualityStep] = []
        for _ in range(DEPTH):
            step = next((s for x in bigs(t) if (s := self.simpler(facts, x))), None)
            if step is None:
                break
            steps.append(step)
            t = facts.simplify(k.replace_subterms(t, {step.old: step.new}))
        return t, tuple(steps)

    def simpler(self, facts: Facts, t: Term) -> Reindex | None:
        if t.op != "sum":
            return None
        found = (step for step in (self.merged(facts, t), self.trimmed(facts, t)) if step is not None)
        return next((step for step in found if self.holds(facts, step)), None)

    def merged(self, facts: Facts, t: Term) -> Reindex | None:
        """Two nested ranges as one: b in 0..B, x in 0..X, and everything depends on X*b + x (or on b + B*x) alone."""
        nested = peel(t, 2)
        if nested is None:
            return None
        (low1, high1), (low2, high2) = nested.ranges
        b, x, i = temporaries(3, "m")
        low2b, high2b = instantiate(low2, (b,)), instantiate(high2, (b,))
        if b in low2b.free or b in high2b.free:
            return None
        outer, inner = k.sub(high1, low1), k.sub(high2b, low2b)
        b0, x0 = k.sub(b, low1), k.sub(x, low2b)
        size = k.mul(outer, inner)
        for index, big_one, solve in (
            (k.add(k.mul(inner, b0), x0), "b", {x: k.add(low2b, k.sub(i, k.mul(inner, b0)))}),
            (k.add(k.mul(outer, x0), b0), "x", {b: k.add(low1, k.sub(i, k.mul(outer, x0)))}),
        ):
            body = k.substitute(nested.at((b, x))[0], solve)
            where = k.substitute(instantiate(nested.where, (b, x)), solve)
            gone = b if big_one == "b" else x
            inside = facts.assume(nested.domain((b, x)), k.eq(i, index))
            if gone in body.free:
                body = inside.simplify(body)
            if gone in where.free:
                where = inside.simplify(where)
            if {b, x} & (body.free | where.free):
                continue
            if big_one == "b":
                back = (k.add(low1, k.fdiv(i, inner)), k.add(low2b, k.fmod(i, inner)))
            else:
                back = (k.add(low1, k.fmod(i, outer)), k.add(low2b, k.fdiv(i, outer)))
            new = self.over(facts, i, k.ZERO, size, where, body)
            return Reindex(t, new, (k.abstract(index, (b, x)),), tuple(k.abstract(u, (i,)) for u in back))
        return None

    def settled(self, facts: Facts, t: Term) -> Extend | None:
        """A choice that sets the first index apart, although what the others have is right for it too: `x <= 0 ? f(0) : f(x)`."""
        if t.op != "sum":
            return None
        (x,) = temporaries(1, "c")
        low, high, under = t.args
        body, inside = instantiate(under, (x,)), facts.assume(k.le(low, x), k.lt(x, high))
        around: list[tuple[Term, Term]] = []  # the sums between, with a value of their index
        while body.op == "sum":
            (y,) = temporaries(1, "e")
            around.append((body, y))
            inside = inside.assume(k.le(body.args[0], y), k.lt(y, body.args[1]))
            body = instantiate(body.args[2], (y,))
        for choice in [c for c in k.subterms(body) if c.op == "ite" and c.level == 0 and x in c.args[0].free]:
            test, then, other = choice.args
            for condition, first, rest in ((test, then, other), (k.not_(test), other, then)):
                agree = k.eq(k.substitute(rest, {x: low}), first)
                if self.proves(inside.assume(condition), k.eq(x, low)) and self.proves(inside, agree):
                    new = k.replace_subterms(body, {choice: rest})
                    steps: EqualitySteps = (Case(k.eq(x, low), (), ()),)
                    for old, y in reversed(around):
                        steps = (Extend(old, k.abstract(new, (y,)), tuple(bind_step(s, y) for s in steps)),)
                        new = k.big("sum", old.args[0], old.args[1], k.abstract(new, (y,)))
                    return Extend(t, k.abstract(new, (x,)), tuple(bind_step(s, x) for s in steps))
        return None

    def over(self, facts: Facts, i: Term, low: Term, high: Term, where: Term, body: Term) -> Term:
        """The sum over low..high where `where`, with the condition in the range if it is a bound."""
        left: list[Term] = []
        for c in k.conjuncts(where):
            upper, lower = upper_bound(c, i), lower_bound(c, i)
            if upper is not None and self.proves(facts, k.le(upper, high)):
                high = upper
            elif lower is not None and self.proves(facts, k.le(low, lower)):
                low = lower
            else:
                left.append(c)
        guarded = k.ite(k.and_(*left), body, k.num(0, body.sort))
        return k.big("sum", low, high, k.abstract(guarded, (i,)))

    def trimmed(self, facts: Facts, t: Term) -> Reindex | None:
        """A guard that is a bound on the index becomes a bound of the range."""
        one = peel(t, 1)
        if one is None or one.where is k.TRUE or t in self.kept:
            return None
        (i,) = temporaries(1, "t")
        low, high = one.ranges[0]
        new = self.over(facts, i, low, high, instantiate(one.where, (i,)), one.at((i,))[0])
        if new.op != "sum" or new is t or peel(new, 1) is None:
            return None
        same = (k.bound(0, k.INT),)
        return Reindex(t, new, same, same)

    # Two sums beside each other

    def align(self, facts: Facts, s: Term, t: Term) -> Split | Reindex | Extend | Partition | Maximum | None:
        swapped = self.swapped(facts, s, t)
        if swapped is not None:
            return swapped
        if s.args[-1] is t.args[-1]:
            cut = self.cut(facts, s, t)
            if cut is not None:
                return cut
        elif s.op == "sum":
            for old, like in ((t, s), (s, t)):
                moved = self.moved(facts, old, like)
                if moved is not None:
                    return moved
            for old, like in ((t, s), (s, t)):
                residues = self.by_residue(facts, old, like)
                if residues is not None:
                    return residues
        return None

    def flattened(self, facts: Facts, t: Term, like: Term) -> Reindex | None:
        """A nested sum whose index form takes each value of the other sum's index once: k in 0..K, t in 0..32: f(32*k + t)."""
        found = self._flattened(facts, t, like) if (facts, t, like) not in self.never_flat else None
        if found is None:
            self.never_flat.add((facts, t, like))
        return found

    def _flattened(self, facts: Facts, t: Term, like: Term) -> Reindex | None:
        one = peel(like, 1) if like.op == "sum" else None
        if one is None or t.op != "sum" or peel(like, 2) is not None:
            return None
        alone = peel(t, 2) is None  # then there is something to do only if it is a part of the other's range
        if alone and (one.where is k.TRUE or t.args[:2] == like.args[:2]):
            return None
        (i,) = temporaries(1, "f")
        theirs = one.at((i,))[0]
        for depth in (1,) if alone else range(nested_sums(t), 1, -1):
            nested = peel(t, depth)
            if nested is None:
                continue
            xs = temporaries(depth, "f")
            mine = nested.at(xs)[0]
            for form in _matching(mine, theirs, i):
                if facts.simplify(k.substitute(theirs, {i: form})) is not facts.simplify(mine):
                    continue
                cells = Cells("", nested.ranges, nested.where, (k.abstract(form, xs),))
                low, high = one.ranges[0]
                back = invert(cells, (i,), facts.assume(k.le(low, i), k.lt(i, high)))
                if back is None:
                    continue
                inside = facts.assume(k.le(low, i), k.lt(i, high))
                there = k.and_(nested.domain(back), k.eq(k.substitute(form, dict(zip(xs, back))), i))
                guard = inside.simplify(there)
                body = k.ite(guard, theirs, k.num(0, theirs.sort))
                new = k.big("sum", low, high, k.abstract(body, (i,)))
                if new.op != "sum":
                    continue
                step = Reindex(t, new, (k.abstract(form, xs),), tuple(k.abstract(u, (i,)) for u in back))
                if self.holds(facts, step):
                    if alone:
                        self.kept.add(facts.simplify(new))
                    return step
        return None

    def holds(self, facts: Facts, step: Reindex) -> bool:
        """Will the kernel accept the step?"""
        return self.equality._checked(facts, step) is not None

    def guarded(self, facts: Facts, s: Term, t: Term) -> Extend | Partition | None:
        """Two sums of the same over one range, s under a condition: t is the same sum, or s is a part of it."""
        mine, theirs = peel(s, 1), peel(t, 1)
        if mine is None or theirs is None or mine.where is k.TRUE or mine.ranges != theirs.ranges:
            return None
        (x,) = temporaries(1, "g")
        low, high = mine.ranges[0]
        inside = facts.assume(k.le(low, x), k.lt(x, high))
        here, there = instantiate(mine.where, (x,)), instantiate(theirs.where, (x,))
        if mine.index != theirs.index or here in k.conjuncts(there):
            return None
        if not self.proves(inside.assume(here), there):
            return None
        if self.proves(inside.assume(there), here):
            return Extend(t, s.args[-1], ())
        return Partition(t, mine.where)

    def moved(self, facts: Facts, t: Term, like: Term) -> Reindex | None:
        """The sum t over another index, with which its body is that of `like`: a shift, or a reversal."""
        x, y = temporaries(2, "s")
        mine, theirs = instantiate(t.args[-1], (y,)), instantiate(like.args[-1], (x,))
        for y_of_x in self.correspondences(mine, theirs, x, y):
            c = k.coefficients(y_of_x).get((x,), 0)
            if c not in (1, -1) or facts.simplify(k.substitute(mine, {y: y_of_x})) is not facts.simplify(theirs):
                continue
            low, high = t.args[-3], t.args[-2]
            rest = k.sub(y_of_x, k.scale(c, x))  # y = c * x + rest, so x = c * (y - rest)
            if c == 1:
                new_low, new_high = k.sub(low, rest), k.sub(high, rest)
            else:
                new_low, new_high = k.sub(rest, k.sub(high, k.ONE)), k.sub(k.add(rest, k.ONE), low)
            new = k.big("sum", new_low, new_high, like.args[-1])
            if new is t or peel(new, 1) is None:
                continue
            x_of_y = k.scale(c, k.sub(y, rest))
            return Reindex(t, new, (k.abstract(x_of_y, (y,)),), (k.abstract(y_of_x, (x,)),))
        return None

    def correspondences(self, mine: Term, theirs: Term, x: Term, y: Term) -> Iterator[Term]:
        """Candidates for y as a function of x, from arguments of functions that would have to be equal."""
        apps = [a for a in k.subterms(theirs) if a.op == "app" and x in a.free]
        for a in k.subterms(mine):
            if a.op != "app" or y not in a.free:
                continue
            for b in apps:
                if a.args[0] is b.args[0]:
                    for p, q in zip(a.args[1:], b.args[1:]):
                        c = k.coefficients(p).get((y,), 0) if p.sort is k.INT and p.level == q.level == 0 else 0
                        rest = k.sub(p, k.scale(c, y)) if c else None
                        if rest is not None and y not in rest.free and c in (1, -1):
                            yield k.scale(c, k.sub(q, rest))

    def by_residue(self, facts: Facts, t: Term, like: Term) -> Reindex | None:
        """A sum beside one over every c-th index: the sum over residues r of the sums over c*k + r."""
        x = temporaries(1, "r")[0]
        strides = {
            int(c)
            for a in k.subterms(instantiate(like.args[-1], (x,)))
            if a.op == "app" and x in a.free
            for p in a.args[1:]
            if p.sort is k.INT and 1 < (c := abs(k.coefficients(p).get((x,), 0))) <= MAX_STRIDE
        }
        mine = {c for a in k.subterms(t.args[-1]) if a.op == "poly" for m, c in a.data if m == (k.bound(0, k.INT),)}
        for c in sorted(strides):
            if mine - {1}:
                continue
            low, high = t.args[-3], t.args[-2]
            r, q = temporaries(2, "r")
            i = k.add(low, k.add(k.scale(c, q), r))
            count = k.fdiv(k.sub(k.add(k.sub(high, low), k.num(c - 1)), r), k.num(c))
            inner = k.big("sum", k.ZERO, count, k.abstract(instantiate(t.args[-1], (i,)), (q,)))
            new = k.big("sum", k.ZERO, k.num(c), k.abstract(inner, (r,)))
            if peel(new, 2) is None:
                continue
            y = temporaries(1, "r")[0]
            at = k.sub(y, low)
            forward = (k.abstract(k.fmod(at, k.num(c)), (y,)), k.abstract(k.fdiv(at, k.num(c)), (y,)))
            return Reindex(t, new, forward, (k.abstract(i, (r, q)),))
        return None

    def cut(self, facts: Facts, s: Term, t: Term) -> Split | None:
        """Ranges over the same body: cut one at an end of the other."""
        for whole, part in ((s, t), (t, s)):
            low, high = whole.args[-3], whole.args[-2]
            for at in (part.args[-2], part.args[-3]):
                inside = k.and_(k.le(low, at), k.le(at, high))
                if at not in (low, high) and self.proves(facts, inside) and split(whole, at) is not whole:
                    return Split(whole, at)
        return None

    def swapped(self, facts: Facts, s: Term, t: Term) -> Reindex | None:
        """The same two ranges in the other order."""
        mine, theirs = peel(s, 2), peel(t, 2)
        if mine is None or theirs is None:
            return None
        x, y = temporaries(2, "s")
        if any(r.level for p in (*mine.ranges, *theirs.ranges) for r in p):
            return None
        if mine.ranges != (theirs.ranges[1], theirs.ranges[0]):
            return None
        if mine.at((x, y)) != theirs.at((y, x)):
            return None
        other = (k.bound(0, k.INT), k.bound(1, k.INT))
        return Reindex(s, t, other, other)


def _result(step: Split | Reindex | Extend | Partition | Maximum) -> Term:
    match step:
        case Split(old, at):
            return split(old, at)
        case Partition(old, test):
            return partition(old, test)
        case Extend(old, body):
            *start, low, high, _ = old.args
            return k.big(old.op, low, high, body, *start)
        case Reindex() | Maximum():
            return step.new


def _matching(mine: Term, theirs: Term, i: Term) -> Iterator[Term]:
    """Values for i at which an application in `theirs` is one in `mine`."""
    wanted = [a for a in k.subterms(theirs) if a.op == "app" and i in a.free]
    for a in k.subterms(mine):
        for b in wanted if a.op == "app" else ():
            if a.args[0] is b.args[0]:
                for p, q in zip(a.args[1:], b.args[1:]):
                    closed = p.level == q.level == 0
                    if closed and i in q.free and k.coefficients(q).get((i,), 0) == 1 and i not in k.sub(q, i).free:
                        yield k.sub(p, k.sub(q, i))


def bind_step(step: EqualityStep, x: Term) -> EqualityStep:
    """A step about x as a step under one binder."""
    return abstract_step(step, (x,))


def abstract_step(step: EqualityStep, xs: Terms) -> EqualityStep:
    """Bind variables in a proof step."""

    def bound(t: Term, binders: int) -> Term:
        ys = temporaries(binders, "y")
        return k.abstract(instantiate(t, ys), (*xs, *ys))

    return rewritten(step, bound)


def bigs(t: Term) -> list[Term]:
    """The closed big operators in a term, outermost first."""
    return [x for x in k.subterms(t) if x.op in BIG and x.level == 0]


def nesting(t: Term) -> int:
    """How many big operators there are inside a term."""
    return sum(x.op in BIG for x in k.subterms(t))


def size(t: Term) -> int:
    return sum(1 for _ in k.subterms(t))


def nested_sums(t: Term) -> int:
    """How many sums stand around the summand of a nested sum."""
    depth = 0
    while peel(t, depth + 1) is not None:
        depth += 1
    return depth


def one_sided(a: Term, b: Term) -> list[Term]:
    """The big operators that are in one of two terms only."""
    mine, theirs = bigs(a), bigs(b)
    return [t for t in (*mine, *theirs) if (t in mine) != (t in theirs)]


def conditions(*terms: Term) -> list[Term]:
    out: dict[Term, None] = {}
    for t in terms:
        for x in k.subterms(t):
            if x.op == "ite" and x.args[0].level == 0:
                out[x.args[0]] = None
    return list(out)


def first_atom(c: Term) -> Term:
    """The first of the conditions that a condition is made of."""
    return first_atom(c.args[0]) if c.op in ("and", "or") else c


def decides(facts: Facts, c: Term) -> bool:
    """Is the condition known in either case of it? Otherwise the case would be the same as before."""
    return facts.assume(c).simplify(c) is k.TRUE and facts.assume(k.not_(c)).simplify(c) is k.FALSE


def upper_bound(c: Term, i: Term) -> Term | None:
    """u if the condition is i < u."""
    if c.op != "le" or c.args[0].sort is not k.INT:
        return None
    rest = k.sub(c.args[0], i)
    return k.sub(k.ONE, rest) if i not in rest.free else None


def lower_bound(c: Term, i: Term) -> Term | None:
    """l if the condition is l <= i."""
    if c.op != "le" or c.args[0].sort is not k.INT:
        return None
    rest = k.add(c.args[0], i)
    return rest if i not in rest.free else None
