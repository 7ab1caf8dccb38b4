"""Finding proofs that two maxima are equal: for each term of one, where it is in the other. Untrusted; kernel/values.py checks.

Maxima are taken apart into index sets (`parts`), however they are nested. A term of one is looked for in the other by what its
functions are applied to: X(i, 128*k + t) is X(i, j) at j = 128*k + t, and the other way k = j div 128, t = j mod 128. The maps need
not be inverse to each other: a maximum may have a term twice.
"""

from __future__ import annotations

from collections.abc import Iterator

from optigpu.checker.witness import invert, temporaries
from optigpu.kernel import terms as k
from optigpu.kernel.cells import Cells, Index, same
from optigpu.kernel.facts import Facts
from optigpu.kernel.judge import Judge
from optigpu.kernel.terms import FALSE, INT, TRUE, Term
from optigpu.kernel.values import Cases, Into, Maximum, parts

CASES = 6  # into which the terms of one part may fall


class MaximumSearch:
    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.tried: dict[tuple[Facts, Term, Term], Maximum | None] = {}

    def proves(self, facts: Facts, goal: Term) -> bool:
        return self.judge.proves(facts, goal, count=False)

    def between(self, facts: Facts, a: Term, b: Term) -> Maximum | None:
        """A maximum of a that is one of b."""
        mine, theirs = maxima(a), maxima(b)
        for s in mine:
            for t in theirs:
                if s.sort is t.sort and s not in theirs and t not in mine and "fold_max" in (s.op, t.op):
                    found = self.equal(facts, s, t)
                    if found is not None:
                        return found
        return None

    def equal(self, facts: Facts, old: Term, new: Term) -> Maximum | None:
        key = (facts, old, new)
        if key not in self.tried:
            self.tried[key] = self.searched(facts, old, new)
        return self.tried[key]

    def searched(self, facts: Facts, old: Term, new: Term) -> Maximum | None:
        mine, theirs = parts(old), parts(new)
        forward = self.located(facts, mine, theirs)
        back = self.located(facts, theirs, mine) if forward is not None else None
        return None if forward is None or back is None else Maximum(old, new, forward, back)

    def located(self, facts: Facts, mine: list[Cells], theirs: list[Cells]) -> Cases | None:
        """Where the terms of each part are in another maximum."""
        out: list[tuple[Into, ...]] = []
        for part in mine:
            xs, here = facts.arbitrary(*(INT,) * len(part.ranges))  # as the kernel names them
            found = self.cases(here.assume(part.domain(xs)), part.at(xs)[0], theirs)
            if found is None:
                return None
            out.append(
                tuple(
                    Into(len(xs), k.abstract(test, xs), q, tuple(k.abstract(t, xs) for t in to))
                    for test, q, to in found
                )
            )
        return tuple(out)

    def cases(self, here: Facts, body: Term, theirs: list[Cells]) -> list[tuple[Term, int, Index]] | None:
        """(test, part, indices): one part that always has the term, or several that have it in some cases."""
        sometimes: list[tuple[Term, int, Index]] = []
        for q, other in sorted(enumerate(theirs), key=lambda qo: -len(qo[1].ranges)):
            for to, test in self.places(here, body, other):
                if test is not FALSE and self.proves(here.assume(test), k.le(body, other.at(to)[0])):
                    if test is TRUE or self.proves(here, test):
                        return [(TRUE, q, to)]
                    sometimes.append((test, q, to))
        for n, (test, _, _) in enumerate(sometimes[:CASES], 1):
            here = here.assume(k.not_(test))
            if self.proves(here, FALSE):
                return sometimes[:n]
        return None

    def places(self, here: Facts, body: Term, other: Cells) -> Iterator[tuple[Index, Term]]:
        """Indices of a part at which it may have this term, and when it has."""
        xs = temporaries(len(other.ranges), "m")
        theirs = other.at(xs)[0]
        wanted = [a for a in k.subterms(theirs) if a.op == "app" and a.free & set(xs)] if xs else []
        seen: set[Index] = set()
        for c, a in _applications(wanted, body) if wanted else [((), ())]:
            cells = Cells("", other.ranges, other.where, tuple(k.abstract(t, xs) for t in c))
            to = invert(cells, a, here)
            if to is None or to in seen:
                continue
            seen.add(to)
            yield to, here.simplify(k.and_(other.domain(to), self.agreement(here, body, other.at(to)[0])))

    def agreement(self, here: Facts, body: Term, theirs: Term) -> Term:
        """When two terms of the same shape are the same: their functions are applied to the same integers."""
        body, theirs = here.simplify(body), here.simplify(theirs)
        if body is theirs:
            return TRUE
        if body.op != theirs.op or body.op != "app" or body.args[0] is not theirs.args[0]:
            return TRUE  # then nothing is known; whether one is at most the other is asked anyway
        pairs = [(x, y) for x, y in zip(body.args[1:], theirs.args[1:]) if x.sort is INT]
        return same(tuple(x for x, _ in pairs), tuple(y for _, y in pairs))


def _applications(wanted: list[Term], body: Term) -> Iterator[tuple[Index, Index]]:
    """The integer arguments of a function in one term and in the other."""
    for a in k.subterms(body):
        for c in wanted if a.op == "app" else ():
            if a.args[0] is c.args[0]:
                numbers = [i for i, t in enumerate(c.args) if t.sort is INT]
                yield tuple(c.args[i] for i in numbers), tuple(a.args[i] for i in numbers)


def maxima(t: Term) -> list[Term]:
    """The outermost closed maxima in a term."""
    out: dict[Term, None] = {}
    seen: set[Term] = set()

    def go(x: Term) -> None:
        if x in seen:
            return
        seen.add(x)
        if x.op in ("max", "fold_max") and x.level == 0:
            out[x] = None
            return
        for a in x.atoms() if x.op == "poly" else x.args:
            go(a)

    go(t)
    return list(out)
