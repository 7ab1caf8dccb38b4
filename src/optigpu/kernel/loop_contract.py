"""Loop contracts: which cells an iteration has to itself, which families are invariant, and what a body must leave.

The search proposes a contract; the rules for loops check it. Terms are under the iteration v and then the binders of their cells.
"""

from __future__ import annotations

from optigpu.kernel.context import Context, PendingReads
from optigpu.kernel.iterations import IterationRange
from optigpu.logic.cells import Cells, Owner, Terms
from optigpu.logic.equality import EqualitySteps
from optigpu.logic.records import record
from optigpu.logic.terms import TRUE, Term, instantiate


@record
class Exclusive:
    """Cells X(v) of a family that iteration v has to itself, and their contents after it."""

    family: int
    cells: Cells
    forward: Terms
    back: Terms
    init: Term
    value: Term | None  # None: unknown
    whole: bool = True  # thread loops: all threads of the iteration may access the cells, or only those that own them


@record
class Invariant:
    """A family of which the loop says at the start of each iteration v what it holds."""

    family: int
    init: Term
    value: Term | None  # None: unknown
    steps: EqualitySteps = ()
    owner: Owner | None = None  # the threads that may access the cells at the start of iteration v, or more
    law: Term = TRUE  # holds of the value of each cell that is written; under v, the family's binders, and that value
    known: Term = TRUE  # the cells of which `value` speaks, under v and the family's binders; the others hold something


@record
class Cover:
    """A pending read is part of another one: which one, and its binders as terms under those of the first."""

    read: int
    forward: Terms


@record
class LoopContract:
    """What the iterations of a loop have to themselves, what they share, and what holds at their start."""

    exclusive: tuple[Exclusive, ...] = ()
    invariant: tuple[Invariant, ...] = ()
    facts: tuple[Term, ...] = ()  # under v
    part: Term | None = None  # thread loops: the number of threads of an iteration
    pending_reads: PendingReads = ()  # of invariant families, at the start of iteration v, which is the first binder
    covers: tuple[Cover, ...] = ()  # of the pending reads before the loop, by those of the first iteration


@record
class Division:
    """Who executes the iterations of a loop of threads: iteration v the threads first .. first + size of the group, terms under v.
    `known` holds of every v."""

    first: Term
    size: Term
    known: Term = TRUE

    def part(self, v: Term) -> Owner:
        return Owner(instantiate(self.first, (v,)), instantiate(self.size, (v,)))


@record
class EnteredLoop:
    """What the end of a loop's body is compared with."""

    contract: LoopContract
    range: IterationRange
    v: Term
    context: Context  # of the body
    first: Term  # the first thread of iteration v, in the group that executes the loop
    pending_reads: PendingReads  # at the start of the body
    division: Division | None = None  # of the group, in a loop of threads
