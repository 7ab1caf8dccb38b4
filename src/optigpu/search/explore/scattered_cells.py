"""The cells that a loop may change where the cell varies: of `y[n][o][i + p] += …;`, in a loop over i around one over o, the rows
y[n][o] for the range of o.

An index that is the same in all iterations is kept, so that iterations of a loop around have cells of their own.
"""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.logic import terms as k
from optigpu.logic.cells import Cells, Terms, box
from optigpu.logic.terms import TRUE, Term
from optigpu.search.explore.symbolic_memory import Content, Update
from optigpu.search.fresh_names import WHOLE_EXTENT
from optigpu.search.search_tools import SearchTools


def scattered_cells(tools: SearchTools, content: Content, updates: Sequence[Update], v: Term) -> Cells:
    """Find the cells that iterations v may change by these updates: those with the indices that v does not move."""
    cells = updates[0].cells
    bs = tools.temporaries(cells.arity, "k")
    index = cells.at(bs)
    ranges = {b: r for b, r in zip(bs, cells.ranges) if not any(t.level or v in t.free for t in r)}
    alike = all(u.cells.ranges == cells.ranges and u.cells.index == cells.index for u in updates)
    kept = [p for p in range(content.rank) if alike and _is_fixed(index, p, bs, ranges, (v, content.start))]
    xs: list[Term] = []
    for p, size in enumerate(content.dims):
        if p in kept:
            xs += index[p].free & set(bs)
        elif size is None or not kept:
            return box(cells.base, (WHOLE_EXTENT,) * content.rank)
        else:
            (x,) = tools.temporaries(1, "k")
            xs.append(x)
            ranges[x] = (k.ZERO, size)
            index = (*index[:p], x, *index[p + 1 :])
    return Cells(cells.base, tuple(ranges[x] for x in xs), TRUE, tuple(k.abstract(e, tuple(xs)) for e in index))


def _is_fixed(
    index: Terms, at: int, binders: Terms, ranges: dict[Term, tuple[Term, Term]], moving: tuple[Term, Term]
) -> bool:
    """Is the index at this place the same in all iterations: without what moves, at most a range of neighbours of its own?"""
    e, used = index[at], index[at].free & set(binders)
    alone = all(b in ranges and not any(b in t.free for p, t in enumerate(index) if p != at) for b in used)
    neighbours = all(k.coefficients(e).get((b,)) == 1 and b not in k.sub(e, b).free for b in used)
    return len(used) <= 1 and alone and neighbours and e.free.isdisjoint(moving)
