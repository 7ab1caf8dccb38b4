"""Who executes, and what its threads have read since the last barrier (docs/logic.md, "Threads").

A group is an interval of neighbouring threads, counted from 0. The owner of a cell is the part of the group that may access it.
"""

from __future__ import annotations

from optigpu.logic import terms as k
from optigpu.logic.cells import Cells, Owner, Terms, arguments, over
from optigpu.logic.records import record
from optigpu.logic.terms import INT, ONE, ZERO, Term

HOST, SETUP, THREADS, MAGIC, TEARDOWN = "host", "setup", "threads", "magic", "teardown"
GROUP_SIZE = k.rule_var("groupDim", 0, INT)  # in claims of proof steps: the number of threads that execute the step

# The number of a thread that is in no group. It stands for all iterations of magic thread loops, which no thread executes: a cell
# that it owns can be accessed by nobody, and what it has read nobody can write, until a magic barrier. No fact is known of the
# number, so what is proved holds whatever it is, in particular for one so far below zero that no group reaches it.
NOWHERE = k.rule_var("nowhere", 0, INT)


@record
class Context:
    """Who executes: the host, or a group of `threads` neighbouring threads of a kernel with `grid` blocks of `block` threads.

    In an iteration of a magic thread loop (MAGIC), it is an imaginary group that acts as one, and `threads` are those of the real
    group around the loop.
    """

    kind: str = HOST
    threads: Term = ONE
    grid: Term = ONE
    block: Term = ONE
    shared: Term = ZERO  # bytes of shared memory that a block was launched with
    used: Term = ZERO  # bytes of them that are allocated
    busy: tuple[tuple[str, Term], ...] = ()  # shared arrays out of scope that threads may still use, with their bytes
    home: object = None  # the token of the block of code with the launch; None in a device function
    row: tuple[int, Term] | None = None  # in a loop over the rows of fragments: the threads of the group, and the row

    @property
    def in_scope(self) -> Term:
        """Bytes of shared memory of arrays in scope."""
        return k.sub(self.used, k.add(ZERO, *(size for _, size in self.busy)))


@record
class PendingRead:
    """Cells of a family that threads may have read since the last barrier; `reader` is under the binders of the cells.

    A pending read by another thread blocks a write until a barrier orders the two. More pending reads are a weaker statement.
    """

    family: int
    cells: Cells
    reader: Owner

    def under(self, outer: Terms) -> PendingRead:
        """Give values to the first binders."""
        args = (*outer, *arguments(self.cells.arity - len(outer)))
        return PendingRead(self.family, self.cells.under(outer), self.reader.at(args))

    def over(self, v: Term, low: Term, high: Term) -> PendingRead:
        """The reads for all v in low..high: v becomes the first binder."""
        return PendingRead(self.family, over(self.cells, v, low, high), self.reader.over(v, self.cells.arity))


PendingReads = tuple[PendingRead, ...]


def everyone(context: Context) -> Owner:
    """All threads of the current group."""
    return Owner(ZERO, context.threads)


def imaginary() -> Owner:
    """The thread that is in no group."""
    return Owner(NOWHERE, ONE)


def choose_owner(test: Term, a: Owner, b: Owner) -> Owner:
    return Owner(k.ite(test, a.start, b.start), k.ite(test, a.size, b.size))


def owner_where(context: Context, test: Term, a: Owner | None, b: Owner | None) -> Owner | None:
    """The owner a where the test holds, b elsewhere (None: everyone)."""
    return a if a == b else choose_owner(test, a or everyone(context), b or everyone(context))


def with_reads(old: PendingReads, *new: PendingRead) -> PendingReads:
    """All of them, each once."""
    return tuple(dict.fromkeys((*old, *new)))
