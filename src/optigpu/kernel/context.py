"""Groups of threads: who executes, and what they have read."""

from __future__ import annotations

from optigpu.logic import terms as k
from optigpu.logic.cells import Cells, Owner, Terms, arguments, over
from optigpu.logic.records import record
from optigpu.logic.terms import ONE, ZERO, Term

HOST, SETUP, THREADS, TEARDOWN = "host", "setup", "threads", "teardown"


@record
class Context:
    """Who executes: the host, or a group of `threads` neighbouring threads of a kernel with `grid` blocks of `block` threads."""

    kind: str = HOST
    threads: Term = ONE
    grid: Term = ONE
    block: Term = ONE
    shared: Term = ZERO  # bytes a block was launched with
    used: Term = ZERO  # bytes of them that are taken
    busy: tuple[tuple[str, Term], ...] = ()  # shared arrays out of scope that threads may still use, with their bytes
    home: object = None  # the token of the block (of code) with the launch; a device function has none


@record
class PendingRead:
    """Cells of a family that threads have read since the last barrier; `reader` is under the binders of the cells."""

    family: int
    cells: Cells
    reader: Owner

    def under(self, outer: Terms) -> PendingRead:
        args = (*outer, *arguments(self.cells.arity - len(outer)))
        return PendingRead(self.family, self.cells.under(outer), self.reader.at(args))

    def over(self, v: Term, low: Term, high: Term) -> PendingRead:
        """The mark for all v in a range."""
        return PendingRead(self.family, over(self.cells, v, low, high), self.reader.over(v, self.cells.arity))


def choose_owner(test: Term, a: Owner, b: Owner) -> Owner:
    return Owner(k.ite(test, a.start, b.start), k.ite(test, a.size, b.size))
