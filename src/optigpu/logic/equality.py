"""Equality of values: laws of the big operators, as proof steps found by the checker and checked here.

A proof that two values are equal is a list of steps, each of which replaces a big operator by an equal term, until the rest is an
equation for the judge. The laws: splitting and widening a range, re-indexing by a bijection, extensionality, case distinction; of
maxima, that each term of one is at most a term of the other; linearity and empty ranges are laws of the constructors
(logic/terms.py). Terms in steps may stand under outer binders, for which the equation is to hold; they are instantiated with the
constants for which it is proved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from optigpu.logic import terms as k
from optigpu.logic.cells import Cells, Terms, arguments, same
from optigpu.logic.facts import Facts
from optigpu.logic.judge import ObligationJudge
from optigpu.logic.monomials import linear_in
from optigpu.logic.records import record
from optigpu.logic.terms import FALSE, INT, TRUE, Term, instantiate, instantiate_all


@record
class Split:
    """The range lo..hi of `old` is lo..at and at..hi, for lo <= at <= hi."""

    old: Term
    at: Term


@record
class Widen:
    """The sum `old` over lo..hi is the one over `low`..hi less the one over `low`..lo, for low <= lo <= hi."""

    old: Term
    low: Term


@record
class Reindex:
    """`old` and `new` are sums over index sets (nested ranges with guards) that correspond one to one.

    `forward` maps indices of old to indices of new, `back` the other way; both are terms under the binders of their side.
    """

    old: Term
    new: Term
    forward: Terms
    back: Terms


@record
class Extend:
    """`old` has another body: equal to its own on the range by `steps` (both are under one binder more)."""

    old: Term
    body: Term
    steps: tuple[EqualityStep, ...]


@record
class Partition:
    """The sum `old` is the one where the test (under its index) holds, and the one where it does not."""

    old: Term
    test: Term


@record
class Case:
    """The equation holds by `then` where the test holds and by `other` where it does not."""

    test: Term
    then: tuple[EqualityStep, ...]
    other: tuple[EqualityStep, ...]


@record
class Into:
    """Where the test holds, a term of a maximum is at most the one at `to` in `part` of another; under its `binders` indices."""

    binders: int
    test: Term
    part: int
    to: Terms


Cases: TypeAlias = tuple[tuple[Into, ...], ...]


@record
class Maximum:
    """Each term of the maximum `old` is at most one of `new`, and the other way round, so they are equal.

    For each of old's `parts`, `forward` says where in new its terms are, case by case; `back` the other way.
    """

    old: Term
    new: Term
    forward: Cases
    back: Cases


EqualityStep: TypeAlias = Split | Widen | Reindex | Extend | Partition | Maximum | Case
EqualitySteps: TypeAlias = tuple[EqualityStep, ...]


def place(step: EqualityStep, args: Terms) -> EqualityStep:
    """The step at these values of the outer binders."""
    return rewritten(step, lambda t, n: instantiate(t, (*(k.shift(a, n) for a in args), *arguments(n))))


def rewritten(step: EqualityStep, at: Callable[[Term, int], Term]) -> EqualityStep:
    """The step with its terms replaced; `at` is told under how many binders of the step they are."""

    def index(ts: Terms, n: int) -> Terms:
        return tuple(at(t, n) for t in ts)

    def cases(parts: Cases) -> Cases:
        return tuple(
            tuple(Into(c.binders, at(c.test, c.binders), c.part, index(c.to, c.binders)) for c in cs) for cs in parts
        )

    match step:
        case Split(old, cut):
            return Split(at(old, 0), at(cut, 0))
        case Widen(old, low):
            return Widen(at(old, 0), at(low, 0))
        case Reindex(old, new, forward, back):
            return Reindex(at(old, 0), at(new, 0), index(forward, len(back)), index(back, len(forward)))
        case Extend(old, body, steps):
            inner = tuple(rewritten(s, lambda t, n: at(t, n + 1)) for s in steps)
            return Extend(at(old, 0), at(body, 1), inner)
        case Partition(old, test):
            return Partition(at(old, 0), at(test, 1))
        case Maximum(old, new, there, again):
            return Maximum(at(old, 0), at(new, 0), cases(there), cases(again))
        case Case(test, then, other):
            return Case(at(test, 0), tuple(rewritten(s, at) for s in then), tuple(rewritten(s, at) for s in other))


class Equality:
    """Checks proofs of equality."""

    def __init__(self, judge: ObligationJudge) -> None:
        self.judge = judge

    def holds(self, facts: Facts, a: Term, b: Term, steps: EqualitySteps) -> bool:
        """Is a = b, given the facts, by these steps?"""
        a, b = facts.simplify(a), facts.simplify(b)
        for i, step in enumerate(steps):
            if isinstance(step, Case):
                rest = steps[i + 1 :]
                yes, no = facts.assume(step.test), facts.assume(k.not_(step.test))
                return self.holds(yes, a, b, step.then + rest) and self.holds(no, a, b, step.other + rest)
            old = facts.simplify(step.old)
            new = self._checked(facts, replace(step, old=old))
            if new is None:
                return False
            a, b = (facts.simplify(k.replace_subterms(t, {old: new})) for t in (a, b))
        return self.judge.proves(facts, k.eq(a, b))

    def _checked(self, facts: Facts, step: Split | Widen | Reindex | Extend | Partition | Maximum) -> Term | None:
        """What `old` may be replaced by, if the step's conditions hold."""
        match step:
            case Split(old, at):
                inside = old.op in _BIG and k.and_(k.le(old.args[-3], at), k.le(at, old.args[-2]))
                return split(old, at) if inside and self.judge.proves(facts, inside) else None
            case Widen(old, low):
                ordered = old.op == "sum" and k.and_(k.le(low, old.args[0]), k.le(old.args[0], old.args[1]))
                return widen(old, low) if ordered and self.judge.proves(facts, ordered) else None
            case Reindex(old, new, forward, back):
                return new if self._reindexed(facts, old, new, forward, back) else None
            case Partition(old, test):
                return partition(old, test) if old.op == "sum" else None
            case Maximum(old, new, there, again):
                a, b = scaled_parts(self.judge, facts, old), scaled_parts(self.judge, facts, new)
                return new if self._bounded(facts, a, b, there) and self._bounded(facts, b, a, again) else None
            case Extend(old, body, steps):
                if old.op not in _BIG:
                    return None
                *start, low, high, mine = old.args
                (i,), inner = facts.arbitrary(INT)
                inner = inner.assume(k.le(low, i), k.lt(i, high))
                f, g = instantiate(mine, (i,)), instantiate(body, (i,))
                if f.sort is not g.sort or not self.holds(inner, f, g, tuple(place(s, (i,)) for s in steps)):
                    return None
                return k.big(old.op, low, high, body, *start)

    def _reindexed(self, facts: Facts, old: Term, new: Term, forward: Terms, back: Terms) -> bool:
        """Both maps stay in the index sets and are inverse to each other, and corresponding summands are equal."""
        n, m = len(back), len(forward)
        mine, theirs = peel(old, n), peel(new, m)
        if mine is None or theirs is None:
            return False
        b, here = facts.arbitrary(*(INT,) * n)
        here = here.assume(mine.domain(b))
        image = instantiate_all(forward, b)
        if not self.judge.proves(here, k.and_(theirs.domain(image), same(instantiate_all(back, image), b))):
            return False
        if not self.judge.proves(here, same(mine.at(b), theirs.at(image))):
            return False
        c, there = facts.arbitrary(*(INT,) * m)
        there = there.assume(theirs.domain(c))
        image = instantiate_all(back, c)
        goal = k.and_(mine.domain(image), same(instantiate_all(forward, image), c))
        return self.judge.proves(there, goal)

    def _bounded(self, facts: Facts, mine: list[Cells], theirs: list[Cells], maps: Cases) -> bool:
        """Is each term of mine at most one of theirs? Each case of a part names one, and there are no other cases."""
        if len(maps) != len(mine):
            return False
        for part, cases in zip(mine, maps):
            b, here = facts.arbitrary(*(INT,) * len(part.ranges))
            here = here.assume(part.domain(b))
            for case in cases:
                test, image = instantiate(case.test, b), instantiate_all(case.to, b)
                if case.part >= len(theirs) or len(image) != len(theirs[case.part].ranges):
                    return False
                other = theirs[case.part]
                goal = k.and_(other.domain(image), k.le(part.at(b)[0], other.at(image)[0]))
                if not self.judge.proves(here.assume(test), goal):
                    return False
                here = here.assume(k.not_(test))
            if not self.judge.proves(here, FALSE):
                return False
        return True


_BIG = ("sum", "prod", "all", "fold_max")


def split(t: Term, at: Term) -> Term:
    *start, low, high, body = t.args
    if t.op == "fold_max":
        return k.big(t.op, at, high, body, k.big(t.op, low, at, body, start[0]))
    combine = {"sum": k.add, "prod": k.mul, "all": k.and_}[t.op]
    return combine(k.big(t.op, low, at, body), k.big(t.op, at, high, body))


def widen(t: Term, low: Term) -> Term:
    start, high, body = t.args
    return k.sub(k.big("sum", low, high, body), k.big("sum", low, start, body))


def partition(t: Term, test: Term) -> Term:
    low, high, body = t.args
    zero = k.num(0, body.sort)
    parts = (k.ite(test, body, zero), k.ite(k.not_(test), body, zero))
    return k.add(*(k.big("sum", low, high, p) for p in parts))


def peel(t: Term, depth: int) -> Cells | None:
    """The outermost `depth` sums of a term, guards (`c ? v : 0`) in between included: an index set, and a summand as its index."""
    ranges: list[tuple[Term, Term]] = []
    guards: list[Term] = []
    for level in range(depth):
        if t.op != "sum":
            return None
        low, high, t = t.args
        ranges.append((low, high))
        if k.is_guarded(t):
            guards.append(k.shift(t.args[0], depth - level - 1))
            t = t.args[1]
    return Cells("", tuple(ranges), k.and_(*guards), (t,))


def parts(t: Term, ranges: tuple[tuple[Term, Term], ...] = (), where: Term = TRUE) -> list[Cells]:
    """The terms of which t is the greatest, as index sets: of nested maxima, with their initial values, and of choices.

    There is always at least one, since a fold has an initial value and one side of a choice counts.
    """
    match t.op:
        case "max":
            return [p for a in t.args for p in parts(a, ranges, where)]
        case "fold_max":
            start, low, high, body = t.args
            return [*parts(start, ranges, where), *parts(body, (*ranges, (low, high)), k.shift(where, 1))]
        case "ite":
            c, a, b = t.args
            return [*parts(a, ranges, k.and_(where, c)), *parts(b, ranges, k.and_(where, k.not_(c)))]
        case _:
            return [Cells("", ranges, where, (t,))]


def scaled_parts(judge: ObligationJudge, facts: Facts, t: Term) -> list[Cells]:
    """The same, also of c * m + r for a maximum m and c >= 0: then c * x + r for each term x of m."""
    for m in (a for a in t.parts if t.op == "poly" and a.op in ("max", "fold_max")):
        found = linear_in(k.coefficients(t), m) if t.level == 0 else None
        if found is not None and judge.proves(facts, k.le(k.num(0, t.sort), found[0])):
            return [replace(p, index=(k.add(k.mul(found[0], p.index[0]), found[1]),)) for p in parts(m)]
    return parts(t)
