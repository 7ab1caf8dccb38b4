"""Equality of values that contain big operators, by steps that the search proposes and that are checked here.

A proof that two values are equal is a list of steps. Each step replaces a big operator by an equal term; the equation that is left
is put to the judge. The laws are: splitting and widening of a range, re-indexing by a bijection, extensionality, case distinction,
and of maxima that each value of one is at most a value of the other. Linearity and empty ranges are laws of the constructors
(logic/terms).

The terms of a step may be under outer binders, for all values of which the equation is to hold. They are instantiated with the
constants for which it is proved.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.cells import Cells, Terms, arguments, same
from optigpu.logic.facts import Facts
from optigpu.logic.judge import ObligationJudge
from optigpu.logic.monomials import linear_in
from optigpu.logic.records import record
from optigpu.logic.terms import FALSE, INT, TRUE, Term, instantiate, instantiate_all


@record
class Split:
    """The range lo..hi of `old` is lo..at and at..hi, for lo <= at <= hi; of an argmax for lo < at < hi."""

    old: Term
    at: Term


@record
class Widen:
    """The sum `old` over lo..hi is the sum over `low`..hi minus the sum over `low`..lo, for low <= lo <= hi."""

    old: Term
    low: Term


@record
class Reindex:
    """`old` and `new` are sums, or products, over index sets (nested ranges with guards) that correspond one to one, with equal
    summands. An index set without ranges has one element, or none where its guard does not hold.

    `forward` maps indices of old to indices of new, `back` the other way. Each is a tuple of terms under the binders of its source.
    """

    old: Term
    new: Term
    forward: Terms
    back: Terms


@record
class Extend:
    """`old` with another body, which `steps` show to be equal on the range. The body and the steps are under one more binder."""

    old: Term
    body: Term
    steps: tuple[EqualityStep, ...]


@record
class Partition:
    """The sum `old` is the sum where the test (under its index) holds, plus the sum where it does not."""

    old: Term
    test: Term


@record
class Replace:
    """The closed term `old` is equal to the closed term `new`, which the judge shows."""

    old: Term
    new: Term


@record
class Case:
    """The equation holds by the steps `then` where the test holds, and by the steps `other` where it does not."""

    test: Term
    then: tuple[EqualityStep, ...]
    other: tuple[EqualityStep, ...]


@record
class Into:
    """Where the test holds, a value of one maximum is at most the value at the index `to` of the part number `part` of the other.

    The test and `to` are under the `binders` indices of the value.
    """

    binders: int
    test: Term
    part: int
    to: Terms


Cases: TypeAlias = tuple[tuple[Into, ...], ...]


@record
class Maximum:
    """`old` and `new` are equal maxima: each value of one is at most a value of the other.

    `forward` has, for each part of old (`maximum_parts`), the cases by which its values are found in new; `back` the other way.
    Parts that repeat the values of other parts of the same maximum (`repeated_parts`) need no cases.
    """

    old: Term
    new: Term
    forward: Cases
    back: Cases


Replacement: TypeAlias = Split | Widen | Reindex | Extend | Partition | Replace | Maximum
EqualityStep: TypeAlias = Replacement | Case
EqualitySteps: TypeAlias = tuple[EqualityStep, ...]


def step_at(step: EqualityStep, args: Terms) -> EqualityStep:
    """The step at these values of the outer binders."""
    return map_terms(step, lambda t, n: instantiate(t, (*(k.shift(a, n) for a in args), *arguments(n))))


def map_terms(step: EqualityStep, f: Callable[[Term, int], Term]) -> EqualityStep:
    """The step with f(t, n) for each of its terms t, where n is the number of the step's own binders around t."""

    def terms(ts: Terms, n: int) -> Terms:
        return tuple(f(t, n) for t in ts)

    def cases(parts: Cases) -> Cases:
        return tuple(
            tuple(Into(c.binders, f(c.test, c.binders), c.part, terms(c.to, c.binders)) for c in cs) for cs in parts
        )

    match step:
        case Split(old, at):
            return Split(f(old, 0), f(at, 0))
        case Widen(old, low):
            return Widen(f(old, 0), f(low, 0))
        case Reindex(old, new, forward, back):
            return Reindex(f(old, 0), f(new, 0), terms(forward, len(back)), terms(back, len(forward)))
        case Extend(old, body, steps):
            inner = tuple(map_terms(s, lambda t, n: f(t, n + 1)) for s in steps)
            return Extend(f(old, 0), f(body, 1), inner)
        case Partition(old, test):
            return Partition(f(old, 0), f(test, 1))
        case Replace(old, new):
            return Replace(f(old, 0), f(new, 0))
        case Maximum(old, new, forward_cases, back_cases):
            return Maximum(f(old, 0), f(new, 0), cases(forward_cases), cases(back_cases))
        case Case(test, then, other):
            return Case(f(test, 0), tuple(map_terms(s, f) for s in then), tuple(map_terms(s, f) for s in other))


def branches(t: Term, test: Term) -> tuple[Term, Term]:
    """t where the test holds, and t where it does not: the branches, if t is a choice by the test."""
    return (t.args[1], t.args[2]) if t.op == "ite" and t.args[0] is test else (t, t)


class Equality:
    """Checks proofs of equality."""

    def __init__(self, judge: ObligationJudge) -> None:
        self.judge = judge

    def holds(self, facts: Facts, a: Term, b: Term, steps: EqualitySteps) -> bool:
        """Do these steps prove a = b from the facts?"""
        a, b = facts.simplify(a), facts.simplify(b)
        for i, step in enumerate(steps):
            if isinstance(step, Case):
                rest = steps[i + 1 :]
                (then_a, other_a), (then_b, other_b) = branches(a, step.test), branches(b, step.test)
                yes, no = facts.assume(step.test), facts.assume(k.not_(step.test))
                then = self.holds(yes, then_a, then_b, step.then + rest)
                return then and self.holds(no, other_a, other_b, step.other + rest)
            old = facts.simplify(step.old)
            new = self.replacement(facts, replace(step, old=old))
            if new is None:
                return False
            a, b = (facts.simplify(k.replace_subterms(t, {old: new})) for t in (a, b))
        return self.judge.proves(facts, k.eq(a, b))

    def replacement(self, facts: Facts, step: Replacement) -> Term | None:
        """The term that the step replaces `old` by, if the conditions of the step hold: then the two are equal."""
        match step:
            case Split(old, at):
                order = k.lt if old.op == "argmax" else k.le
                inside = old.op in _BIG and k.and_(order(old.args[-3], at), order(at, old.args[-2]))
                return split(old, at) if inside and self.judge.proves(facts, inside) else None
            case Widen(old, low):
                ordered = old.op == "sum" and k.and_(k.le(low, old.args[0]), k.le(old.args[0], old.args[1]))
                return widen(old, low) if ordered and self.judge.proves(facts, ordered) else None
            case Reindex(old, new, forward, back):
                return new if self._reindexed(facts, old, new, forward, back) else None
            case Partition(old, test):
                return partition(old, test) if old.op == "sum" else None
            case Replace(old, new):
                closed = old.sort is new.sort and not (old.level or new.level)
                return new if closed and self.judge.proves(facts, k.eq(old, new)) else None
            case Maximum(old, new, forward_cases, back_cases):
                bounded = self._bounded(facts, old, new, forward_cases) and self._bounded(facts, new, old, back_cases)
                return new if bounded else None
            case Extend(old, body, steps):
                return self._extended(facts, old, body, steps)

    def _extended(self, facts: Facts, old: Term, body: Term, steps: EqualitySteps) -> Term | None:
        """Extensionality: `old` with another body that is equal to its own for an arbitrary index of its range."""
        if old.op not in _BIG:
            return None
        *initial, low, high, old_body = old.args
        (i,), inner = facts.arbitrary(INT)
        inner = inner.assume(k.le(low, i), k.lt(i, high))
        f, g = instantiate(old_body, (i,)), instantiate(body, (i,))
        if f.sort is not g.sort or not self.holds(inner, f, g, tuple(step_at(s, (i,)) for s in steps)):
            return None
        return k.big(old.op, low, high, body, *initial)

    def _reindexed(self, facts: Facts, old: Term, new: Term, forward: Terms, back: Terms) -> bool:
        """The maps between the index sets are inverse to each other, stay in the sets, and corresponding summands are equal."""
        n, m = len(back), len(forward)
        op = "prod" if old.op == "prod" else "sum"
        source, target = peel(old, n, op, factors=True), peel(new, m, op, factors=True)
        if source is None or target is None:
            return False
        b, inside = facts.arbitrary(*(INT,) * n)
        inside = inside.assume(source.domain(b))
        image = instantiate_all(forward, b)
        if not self.judge.proves(inside, k.and_(target.domain(image), same(instantiate_all(back, image), b))):
            return False
        if not self.judge.proves(inside, same(source.at(b), target.at(image))):
            return False
        c, inside = facts.arbitrary(*(INT,) * m)
        inside = inside.assume(target.domain(c))
        image = instantiate_all(back, c)
        goal = k.and_(source.domain(image), same(instantiate_all(forward, image), c))
        return self.judge.proves(inside, goal)

    def _bounded(self, facts: Facts, old: Term, new: Term, maps: Cases) -> bool:
        """Is each value of old at most one of new? Each case of a part of old names one, and one of the cases always applies."""
        parts, others = scaled_maximum_parts(self.judge, facts, old), scaled_maximum_parts(self.judge, facts, new)
        if len(maps) != len(parts):
            return False
        repeated = set(scaled_maximum_parts(self.judge, facts, old, partial(repeated_parts, facts)))
        for part, cases in ((p, cases) for p, cases in zip(parts, maps) if p not in repeated):
            b, inside = facts.arbitrary(*(INT,) * len(part.ranges))
            inside = inside.assume(part.domain(b))
            for case in cases:
                test, image = instantiate(case.test, b), instantiate_all(case.to, b)
                if case.part >= len(others) or len(image) != len(others[case.part].ranges):
                    return False
                other = others[case.part]
                goal = k.and_(other.domain(image), k.le(part.at(b)[0], other.at(image)[0]))
                if not self.judge.proves(inside.assume(test), goal):
                    return False
                inside = inside.assume(k.not_(test))
            if not self.judge.proves(inside, FALSE):
                return False
        return True


_BIG = ("sum", "prod", "all", "fold_max", "argmax")


def split(t: Term, at: Term) -> Term:
    """A big operator over lo..at and at..hi instead of lo..hi: equal for lo <= at <= hi, of argmax for lo < at < hi."""
    *initial, low, high, body = t.args
    if t.op == "fold_max":
        return k.big(t.op, at, high, body, k.big(t.op, low, at, body, initial[0]))
    if t.op == "argmax":
        parts = ((low, at), (at, high))
        first, second = (k.big("fold_max", a, b, body, instantiate(body, (a,))) for a, b in parts)
        return k.ite(k.lt(first, second), *(k.big("argmax", a, b, body) for a, b in reversed(parts)))
    combine = {"sum": k.add, "prod": k.mul, "all": k.and_}[t.op]
    return combine(k.big(t.op, low, at, body), k.big(t.op, at, high, body))


def widen(t: Term, low: Term) -> Term:
    """The sum over low..hi minus the sum over low..lo instead of the sum over lo..hi: equal for low <= lo <= hi."""
    start, high, body = t.args
    return k.sub(k.big("sum", low, high, body), k.big("sum", low, start, body))


def partition(t: Term, test: Term) -> Term:
    """The sum where the test holds plus the sum where it does not."""
    low, high, body = t.args
    zero = k.num(0, body.sort)
    parts = (k.ite(test, body, zero), k.ite(k.not_(test), body, zero))
    return k.add(*(k.big("sum", low, high, p) for p in parts))


def peel(t: Term, depth: int, op: str = "sum", factors: bool = False) -> Cells | None:
    """The outermost `depth` sums of a term, with guards (`c ? v : 0`) around and inside them: an index set, whose `index` is the
    summand. The same of products, whose guards are `c ? v : 1`. `factors`: also of `a * Sum(x)`, which is `Sum(a * x)`."""
    ranges: list[tuple[Term, Term]] = []
    guards: list[Term] = []
    around = [k.num(1, t.sort)] if factors and t.sort.numeric else []
    for level in range(depth + 1):
        if level and op == "sum" and around and t.op == "poly" and len(t.data) == 1:
            ((m, c),) = t.data
            at = next((i for i, a in enumerate(m) if a.op == "sum"), 0)
            around += [k.shift(k.mul(k.num(c, t.sort), *m[:at], *m[at + 1 :]), depth + 1 - level)]
            t = m[at]
        if level and t.op != op:
            return None
        if level:
            low, high, t = t.args
            ranges.append((low, high))
        unit = k.num(int(op == "prod"), t.sort) if t.op == "ite" and t.sort.numeric else None
        if unit in t.args[1:]:
            c, t = (t.args[0], t.args[1]) if t.args[2] is unit else (k.not_(t.args[0]), t.args[2])
            guards.append(k.shift(c, depth - level))
    return Cells("", tuple(ranges), k.and_(*guards), (k.mul(*around, t) if around else t,))


def maximum_parts(t: Term, ranges: tuple[tuple[Term, Term], ...] = (), where: Term = TRUE) -> list[Cells]:
    """The values of which t is the greatest, as index sets: of nested maxima, with their initial values, and of choices.

    There is always at least one value, since a fold has an initial value and one branch of a choice applies.
    """
    match t.op:
        case "max":
            return [p for a in t.args for p in maximum_parts(a, ranges, where)]
        case "fold_max":
            initial, low, high, body = t.args
            return [
                *maximum_parts(initial, ranges, where),
                *maximum_parts(body, (*ranges, (low, high)), k.shift(where, 1)),
            ]
        case "ite":
            c, a, b = t.args
            return [*maximum_parts(a, ranges, k.and_(where, c)), *maximum_parts(b, ranges, k.and_(where, k.not_(c)))]
        case _:
            return [Cells("", ranges, where, (t,))]


def repeated_parts(
    facts: Facts, t: Term, ranges: tuple[tuple[Term, Term], ...] = (), where: Term = TRUE
) -> list[Cells]:
    """Parts of t whose values other parts have too: parts of a fold's initial value that are a part of its body at low < high.

    Such a part of the body has one more range. So all values of t are in parts that are not listed here.
    """
    match t.op:
        case "max":
            return [p for a in t.args for p in repeated_parts(facts, a, ranges, where)]
        case "fold_max":
            initial, low, high, body = t.args
            inside = (*ranges, (low, high)), k.shift(where, 1)
            out = repeated_parts(facts, initial, ranges, where) + repeated_parts(facts, body, *inside)
            some = k.lt(low, high)
            if some is TRUE or (some.level == 0 and facts.proves(some)):
                at_low = [p.under((*arguments(len(ranges)), low)) for p in maximum_parts(body, *inside)]
                values = {replace(p, ranges=(*ranges, *p.ranges)) for p in at_low}
                out += values.intersection(maximum_parts(initial, ranges, where))
            return out
        case "ite":
            c, a, b = t.args
            then = repeated_parts(facts, a, ranges, k.and_(where, c))
            return then + repeated_parts(facts, b, ranges, k.and_(where, k.not_(c)))
        case _:
            return []


def scaled_maximum_parts(
    judge: ObligationJudge, facts: Facts, t: Term, parts: Callable[[Term], list[Cells]] = maximum_parts
) -> list[Cells]:
    """The same; and of c * m + r, for a maximum m and c >= 0, the values c * x + r for each value x of m."""
    for m in (a for a in t.parts if t.op == "poly" and a.op in ("max", "fold_max")):
        linear = linear_in(k.coefficients(t), m) if t.level == 0 else None
        if linear is not None and judge.proves(facts, k.le(k.num(0, t.sort), linear[0])):
            return [replace(p, index=(k.add(k.mul(linear[0], p.index[0]), linear[1]),)) for p in parts(m)]
    return parts(t)
