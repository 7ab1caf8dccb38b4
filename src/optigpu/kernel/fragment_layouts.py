"""Which thread has which element of a fragment: unknown functions, of which only this is known (docs/logic.md, "Fragments").

Element (i, j) of a fragment of a group belongs to one of its threads; the threads that may have elements of row i are an interval
of the group. All fragments of a group have the same layout, of whatever size they are. A vector with an element for each row is
kept by all threads of the row. Nothing else is known of a layout, so what is proved holds for that of every instruction.
"""

from __future__ import annotations

from optigpu.logic import terms as k
from optigpu.logic.cells import Owner, Terms, arguments
from optigpu.logic.terms import INT, ONE, TRUE, ZERO, Term

GROUPS = (32, 128)  # threads that have fragments together: a warp, or four of them
Layout = int  # the number of threads of such a group


def thread_of(layout: Layout, row: Term, col: Term) -> Owner:
    """The thread that has an element, counted in its group."""
    return Owner(k.app(_function("fragThread", layout, 2), row, col), ONE)


def threads_of_row(layout: Layout, row: Term) -> Owner:
    """The threads that may have elements of a row, counted in their group."""
    return Owner(k.app(_function("fragRow", layout, 1), row), k.app(_function("fragRowSize", layout, 1), row))


def layout_facts(layout: Layout, index: Terms) -> Term:
    """What is known of the threads of a row, and of an element if the index has two parts."""
    row = threads_of_row(layout, index[0])
    known = k.and_(k.le(ZERO, row.start), k.le(ONE, row.size), k.le(k.add(row.start, row.size), k.num(layout)))
    return k.and_(known, row.contains(thread_of(layout, *index))) if len(index) > 1 else known


def facts_of_cell(layout: tuple[Layout, int] | None, index: Terms) -> Term:
    """What is known of the threads that have a cell, if it is one of fragments."""
    return TRUE if layout is None else layout_facts(layout[0], index[-layout[1] :])


def fragment_owner(layout: Layout, rank: int) -> Owner:
    """The owner of each element of a fragment (rank 2) or of a vector of rows (rank 1), under its indices."""
    at = arguments(rank)
    return threads_of_row(layout, *at) if rank == 1 else thread_of(layout, *at)


def _function(stem: str, layout: Layout, arity: int) -> Term:
    return k.rule_var(f"{stem}{layout}", 0, k.fun_sort((INT,) * arity, INT))
