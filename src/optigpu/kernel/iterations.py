"""The iterations of counted loops."""

from __future__ import annotations

import operator

from optigpu.kernel.causes import EndlessLoop, NotCounting, Operation, Rejected
from optigpu.kernel.instructions import CountedLoop
from optigpu.logic import terms as k
from optigpu.logic.records import record
from optigpu.logic.terms import INT, ONE, ZERO, Term

RELATIONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
UPDATES = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.floordiv}
UPDATES |= {"<<": operator.lshift, ">>": operator.rshift}
TOWARDS_BOUND = {"+": ("<", "<="), "-": (">", ">=")}
MOST_UNROLLED = 4096


@record
class IterationRange:
    """The iterations of a loop: v from low to high in steps of 1, with the value of the program's index as a term under v."""

    low: Term
    high: Term
    index: Term

    @property
    def end(self) -> Term:
        """The first v not taken: low for an empty range, never high."""
        return k.max_(self.low, self.high)


def iterations(loop: CountedLoop, start: Term, bound: Term, step: Term) -> IterationRange:
    """The iterations of a loop that counts by a positive step towards its bound: ceil(distance / step) values are taken.

    A loop that counts away from its bound and takes one value does not end.
    """
    if loop.relation not in TOWARDS_BOUND.get(loop.op, ()):
        raise Rejected(NotCounting(Operation.LOOP, geometric=loop.op not in TOWARDS_BOUND))
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
    """The values of the index, as C computes them; a loop whose index does not move is rejected."""
    out: list[int] = []
    while RELATIONS[loop.relation](i, limit):
        moves = step > 0 if loop.op in "+-" else i > 0 and step > (1 if loop.op in "*/" else 0)
        if len(out) >= MOST_UNROLLED or not moves:
            raise Rejected(EndlessLoop(Operation.UNROLL))
        out.append(i)
        i = UPDATES[loop.op](i, step)
    return out
