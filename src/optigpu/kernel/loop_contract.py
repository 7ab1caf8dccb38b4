"""The iterations of counted loops, and what is said of loops: which cells an iteration has to itself, and what stays invariant."""

from __future__ import annotations

import operator

from optigpu.kernel.context import Context, PendingRead
from optigpu.kernel.instructions import CountedLoop
from optigpu.kernel.state import Rejected
from optigpu.logic import terms as k
from optigpu.logic.cells import Cells, Owner, Terms
from optigpu.logic.equality import EqualitySteps
from optigpu.logic.records import record
from optigpu.logic.terms import INT, ONE, TRUE, ZERO, Term


@record
class Exclusive:
    """Cells that each iteration has to itself. `cells`, `init` and `value` are under the loop's v and then their binders."""

    family: int
    cells: Cells
    forward: Terms
    back: Terms
    init: Term
    value: Term | None  # None: something
    whole: bool = True  # thread loops: may all threads of the iteration access the cells, or only those that own them?


@record
class Invariant:
    """A family whose contents at the start of iteration v are `value`; under v and then the family's binders."""

    family: int
    init: Term
    value: Term | None
    steps: EqualitySteps = ()
    owner: Owner | None = None  # at the start of iteration v: at most who may access the cells
    law: Term = TRUE  # holds of what is written in a cell; under v, the family's binders, and that value


@record
class Cover:
    """A mark is part of another one: which one, and the binders at which it is."""

    read: int
    forward: Terms


@record
class LoopContract:
    exclusive: tuple[Exclusive, ...] = ()
    invariant: tuple[Invariant, ...] = ()
    facts: tuple[Term, ...] = ()  # under v
    part: Term | None = None  # thread loops: how many threads an iteration has
    pending_reads: tuple[
        PendingRead, ...
    ] = ()  # on invariant families, at the start of iteration v, which is the first binder
    covers: tuple[Cover, ...] = ()  # of the marks before the loop, by those of the first iteration


@record
class Entered:
    """What the end of a loop's body is compared with."""

    contract: LoopContract
    range: IterationRange
    v: Term
    context: Context
    first: Term  # the first thread of iteration v, in the group that executes the loop
    pending_reads: tuple[PendingRead, ...]


@record
class IterationRange:
    """The iterations of a loop: v from low to high in steps of 1, with the value of the program's index under v."""

    low: Term
    high: Term
    index: Term

    @property
    def end(self) -> Term:
        """The first v not taken: low for an empty range, never high."""
        return k.max_(self.low, self.high)


TESTS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
STEPS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.floordiv}
STEPS |= {"<<": operator.lshift, ">>": operator.rshift}
TOWARDS = {"+": ("<", "<="), "-": (">", ">=")}


def iterations(loop: CountedLoop, start: Term, bound: Term, step: Term) -> IterationRange:
    """The iterations of a loop that counts by a positive step towards its bound: ceil(distance / step) values are taken.

    Away from its bound, a loop that takes one value does not end.
    """
    if loop.relation not in TOWARDS.get(loop.op, ()):
        raise Rejected("loop", "direction" if loop.op in TOWARDS else "geometric")
    v, up = k.bound(0, INT), loop.op == "+"
    beyond = {"<=": k.add(bound, ONE), ">=": k.sub(bound, ONE)}.get(loop.relation, bound)
    if up and step is ONE:
        return IterationRange(start, beyond, v)
    distance = k.sub(beyond, start) if up else k.sub(start, beyond)
    count = k.fdiv(k.sub(k.add(distance, step), ONE), step)
    return IterationRange(ZERO, count, k.add(start, k.mul(step if up else k.neg(step), v)))


def holds_for(loop: CountedLoop, index: Term, bound: Term) -> Term:
    """The loop's own condition."""
    low, high = (index, bound) if loop.relation in ("<", "<=") else (bound, index)
    return k.le(low, high) if "=" in loop.relation else k.lt(low, high)


def values_of(loop: CountedLoop, i: int, limit: int, step: int) -> list[int]:
    """The values of the index, as C computes them; a loop that gets nowhere is rejected."""
    out: list[int] = []
    while TESTS[loop.relation](i, limit):
        moves = step > 0 if loop.op in "+-" else i > 0 and step > (1 if loop.op in "*/" else 0)
        if len(out) >= 4096 or not moves:
            raise Rejected("unroll", "endless")
        out.append(i)
        i = STEPS[loop.op](i, step)
    return out
