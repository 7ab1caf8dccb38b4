"""Finding proofs that two maxima are equal: for each term of one, where it is in the other. Untrusted; logic/equality.py checks.

Maxima are taken apart into index sets (`parts`), however they are nested. A term of one is located in the other by what its
functions are applied to: X(i, 128*k + t) is X(i, j) at j = 128*k + t, and the other way k = j div 128, t = j mod 128. The maps need
not be inverse to each other: a maximum may have a term twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from typing import TypeAlias

from optigpu.light_dataclass import dataclass
from optigpu.logic import terms as k
from optigpu.logic.cells import Cells, Terms
from optigpu.logic.equality import Cases, Into, Maximum, repeated_parts, scaled_maximum_parts
from optigpu.logic.facts import Facts
from optigpu.logic.terms import FALSE, INT, TRUE, Term
from optigpu.search.evaluation import Sample, Undefined, evaluate
from optigpu.search.samples import samples
from optigpu.search.search_tools import SearchTools

Guess: TypeAlias = Callable[[Terms, int], list[Terms]]  # from indices of a term, and the number of indices of another


@dataclass(frozen=True, slots=True)
class TermLocation:
    """Indices of a part at which a term of the other maximum may be: it is there if both agree and the domain has the indices."""

    agreement: Term
    domain: Term
    bounded: Term  # the term is at most the one there
    part: int
    indices: Terms


class MaximumSearch:
    """Steps that replace a maximum by an equal one; attempts are remembered."""

    def __init__(self, tools: SearchTools) -> None:
        self.tools = tools
        self._steps: dict[tuple[Facts, Term, Term], Maximum | None] = {}
        self._parts: dict[tuple[Facts, Term], tuple[list[Cells], set[Cells]]] = {}

    def between(self, facts: Facts, a: Term, b: Term, guess: Guess | None) -> Maximum | None:
        """Find a maximum in a that equals one in b."""
        in_a, in_b = maxima(a), maxima(b)
        for whole, in_whole, other, in_other in ((a, in_a, b, in_b), (b, in_b, a, in_a)):
            if whole.op == "fold_max" and in_whole and not in_other:  # a maximum of nothing but one term
                return self.equal(facts, whole, other, guess)
        for s in in_a:
            for t in in_b:
                if s.sort is t.sort and s not in in_b and t not in in_a and "fold_max" in (s.op, t.op):
                    inside = s in k.subterms(t)  # then the other way: a step must not bring back what it replaces
                    step = self.equal(facts, t, s, guess) if inside else self.equal(facts, s, t, guess)
                    if step is not None:
                        return step
        return self.scaled(facts, k.sub(a, b), guess) if a.sort.numeric else None

    def scaled(self, facts: Facts, p: Term, guess: Guess | None) -> Maximum | None:
        """Solve p = 0 for one of its two maxima: k + Max(A) = Max(k + A), c * Max(A) = Max(c * A)."""
        cs = k.coefficients(p)
        folds = [a for a in p.parts if a.op == "fold_max"]
        for m in folds if len(folds) == 2 and p.level == 0 else ():
            c = cs.get((m,), 0)
            if c and sum(m in n for n in cs) == 1 and (p.sort is not INT or abs(c) == 1):
                rest = k.polynomial({n: d for n, d in cs.items() if n != (m,)}, p.sort)
                step = self.equal(facts, m, k.scale(Fraction(-1) / c if p.sort is not INT else -c, rest), guess)
                if step is not None:
                    return step
        return None

    def equal(self, facts: Facts, old: Term, new: Term, guess: Guess | None) -> Maximum | None:
        """Find the step that replaces one maximum by the other. `guess`: candidate indices, if the caller knows them."""
        key = (facts, old, new)
        if key not in self._steps:
            forward = self.located(facts, old, new, guess)
            back = self.located(facts, new, old, guess) if forward is not None else None
            self._steps[key] = None if forward is None or back is None else Maximum(old, new, forward, back)
        return self._steps[key]

    def located(self, facts: Facts, a: Term, b: Term, guess: Guess | None) -> Cases | None:
        """Locate the terms of each part of a maximum in another one. Parts that repeat others need no place."""
        maps: list[tuple[Into, ...]] = []
        parts, repeated = self._parts_of(facts, a)
        for part in parts:
            if part in repeated:
                maps.append(())
                continue
            xs, here = facts.arbitrary(*(INT,) * len(part.ranges))  # as the kernel names them
            here, body = here.assume(part.domain(xs)), part.at(xs)[0]
            cases = self.cases(here, self._locations(facts, here, body, xs, b, guess))
            if cases is None:
                return None
            maps.append(
                tuple(Into(len(xs), k.abstract(t, xs), q, tuple(k.abstract(x, xs) for x in to)) for t, q, to in cases)
            )
        return tuple(maps)

    def _parts_of(self, facts: Facts, t: Term) -> tuple[list[Cells], set[Cells]]:
        """Return the parts of a maximum, and which of them repeat others."""
        key = (facts, t)
        if key not in self._parts:
            judge = self.tools.judge
            repeated = scaled_maximum_parts(judge, facts, t, partial(repeated_parts, facts))
            self._parts[key] = scaled_maximum_parts(judge, facts, t), set(repeated)
        return self._parts[key]

    def _locations(
        self, facts: Facts, here: Facts, body: Term, xs: Terms, b: Term, guess: Guess | None
    ) -> Iterator[TermLocation]:
        """Yield where a term may be in the maximum b: in parts with few indices first, and with numbers last unless it is a number
        itself; after these, in parts that repeat others."""
        parts, repeated = self._parts_of(facts, b)
        numbers = {q: k.is_num(other.index[0]) is not k.is_num(body) for q, other in enumerate(parts)}
        for q, other in sorted(enumerate(parts), key=lambda o: (o[1] in repeated, numbers[o[0]], len(o[1].ranges))):
            for to in guess(xs, len(other.ranges)) if guess else _matching(self.tools, here, body, xs, other):
                there = other.at(to)[0]
                yield TermLocation(_agreement(body, there), other.domain(to), k.le(body, there), q, to)

    def cases(self, here: Facts, locations: Iterable[TermLocation]) -> list[tuple[Term, int, Terms]] | None:
        """Choose one location that always has the term, or several by cases. Samples tell which are worth a proof."""
        envs = samples(here)
        held: dict[TermLocation, int] = {}
        for p in locations:  # the next one is computed only if this one does not have the term
            held[p] = sum(_may_hold(here.apply(k.and_(p.agreement, p.domain)), s) for s in envs)
            if held[p] == len(envs) and self.tools.proves(here, k.and_(p.agreement, p.domain, p.bounded)):
                return [(TRUE, p.part, p.indices)]
        cases: list[tuple[Term, int, Terms]] = []
        for p in sorted(held, key=lambda p: (held[p], len(p.indices)), reverse=True):
            test = here.simplify(p.agreement)
            if test is FALSE:
                continue
            if test is TRUE:
                test = p.agreement  # as equations, which the facts may imply without having them
            if test is TRUE or not self.tools.proves(here.assume(test), k.and_(p.domain, p.bounded)):
                test = here.simplify(k.and_(p.agreement, p.domain))
                if test is FALSE or not self.tools.proves(here.assume(test), p.bounded):
                    continue
            cases.append((test, p.part, p.indices))
            here = here.assume(k.not_(test))
            if self.tools.proves(here, FALSE):
                return cases
        return None


def _matching(tools: SearchTools, here: Facts, body: Term, binders: Terms, other: Cells) -> Iterator[Terms]:
    """Yield indices of a part at which an application in its body equals one in this term."""
    xs = tools.temporaries(len(other.ranges), "m")
    there = other.at(xs)[0]
    if other.ranges and not there.free & set(xs):
        yield from _indices_of_constant(binders, other)
        return
    wanted = [a for a in k.subterms_with(there, "app") if a.free & set(xs)]
    seen: set[Terms] = set()
    for c, a in _applications(wanted, body) if wanted else [((), ())]:
        cells = Cells("", other.ranges, other.where, tuple(k.abstract(t, xs) for t in c))
        to = tools.invert(cells, a, here)
        if to is not None and to not in seen:
            seen.add(to)
            yield to


def _indices_of_constant(binders: Terms, other: Cells) -> Iterator[Terms]:
    """Yield indices at which a part may have a value that does not depend on them, as the value of a masked element: the innermost
    ones are those of the term, the others the first or last of their ranges."""
    own = binders[max(0, len(binders) - len(other.ranges)) :]
    outer = other.ranges[: len(other.ranges) - len(own)]
    if any(end.level for ends in outer for end in ends):
        return
    for ends in product(*((k.sub(high, k.ONE), low) for low, high in outer)):
        yield (*ends, *own)


def _agreement(a: Term, b: Term) -> Term:
    """Return the condition that two terms of one shape are equal: that their integer arguments are. Other shapes: no condition."""
    if a.sort is INT:
        return k.eq(a, b)
    if a is b or a.sort is not b.sort or k.is_num(a) or k.is_num(b):
        return TRUE
    if a.op == b.op == "app":
        return k.and_(*map(_agreement, a.args[1:], b.args[1:])) if a.args[0] is b.args[0] else FALSE
    if a.op == b.op and a.op in ("sum", "prod", "fold_max"):
        condition = k.and_(*map(_agreement, a.args, b.args))
        return TRUE if condition.level else condition
    (m, c), *others = k.coefficients(a).items()
    (n, d), *more = k.coefficients(b).items()
    if others or more or c != d or len(m) != len(n) or (m, n) == ((a,), (b,)):
        return TRUE
    return k.and_(*map(_agreement, m, n))


def _may_hold(condition: Term, sample: Sample) -> bool:
    try:
        return bool(evaluate(condition, sample))
    except Undefined:
        return True


def _applications(wanted: list[Term], body: Term) -> Iterator[tuple[Terms, Terms]]:
    """Yield the closed integer arguments of a function that is applied in both terms."""
    for a in k.subterms(body):
        for c in wanted if a.op == "app" else ():
            if a.args[0] is c.args[0]:
                numbers = [i for i, t in enumerate(c.args) if t.sort is INT and t.level == a.args[i].level == 0]
                yield tuple(c.args[i] for i in numbers), tuple(a.args[i] for i in numbers)


def maxima(t: Term) -> list[Term]:
    """List the outermost closed maxima in a term."""
    outermost: dict[Term, None] = {}
    seen: set[Term] = set()

    def visit(x: Term) -> None:
        if x in seen:
            return
        seen.add(x)
        if x.op in ("max", "fold_max") and x.level == 0:
            outermost[x] = None
            return
        for a in x.parts:
            visit(a)

    visit(t)
    return list(outermost)
