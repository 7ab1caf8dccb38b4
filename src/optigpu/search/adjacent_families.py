"""Joins of adjacent families of one array: where one ends, the other begins. Untrusted; the kernel checks each join.

A contract may claim a[0..m] and a[m..n] one by one, and the program then loop over 0..n.
"""

from __future__ import annotations

from optigpu.kernel import Kernel, Rejected, State
from optigpu.kernel.side_conditions import Take
from optigpu.light_dataclass import dataclass
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, CellFamily, Cells, Terms, arguments
from optigpu.logic.terms import INT, TRUE, Term
from optigpu.search.search_tools import SearchTools

MAX_FAMILIES_COMPARED = 8


@dataclass(frozen=True, slots=True)
class Box:
    """A family whose cells are a box of the array: low <= index < high in each dimension."""

    family: int
    ranges: tuple[tuple[Term, Term], ...]
    forward: Terms  # the family's binders, under the indices of the array
    back: Terms  # the indices, under the family's binders


def box_of(number: int, r: CellFamily) -> Box | None:
    """View a family as a box. Each of its indices must be closed, or one binder plus a closed term."""
    cells, rank = r.cells, len(r.cells.index)
    if cells.where is not TRUE or any(t.level for pair in cells.ranges for t in pair):
        return None
    ranges: list[tuple[Term, Term]] = []
    binders: dict[int, Term] = {}
    family_binders, array_indices = arguments(cells.arity), arguments(rank)
    for p, e in enumerate(cells.index):
        if e.level == 0:
            ranges.append((e, k.add(e, k.ONE)))
            continue
        at = next((i for i, b in enumerate(family_binders) if k.sub(e, b).level == 0), None)
        if at is None or at in binders:
            return None
        shift = k.sub(e, family_binders[at])
        low, high = cells.ranges[at]
        ranges.append((k.add(low, shift), k.add(high, shift)))
        binders[at] = k.sub(array_indices[p], shift)
    if len(binders) != cells.arity:
        return None
    return Box(number, tuple(ranges), tuple(binders[i] for i in range(cells.arity)), cells.index)


def with_adjacent_joined(kernel: Kernel, tools: SearchTools, state: State, base: str) -> State | None:
    """Join adjacent families of the array until none are left. Return None if there were none."""
    after = state
    while (step := _adjacent_pair(tools, after, base)) is not None:
        try:
            after = kernel.gather(after, *step)
        except Rejected:
            break
    return None if after is state else after


def _adjacent_pair(tools: SearchTools, state: State, base: str) -> tuple[Cells, Term, tuple[Take, Take]] | None:
    """Find two adjacent families: the joined cells, the condition of those from the first family, and both families."""
    still_read = {m.family for m in state.pending_reads}
    joinable = [
        (n, r)
        for n, r in state.held.items()
        if r.cells.base == base and r.share == FULL and r.owner is None and n not in still_read
    ]
    boxes = [b for b in (box_of(n, r) for n, r in joinable) if b is not None]
    for a in boxes if len(boxes) <= MAX_FAMILIES_COMPARED else ():
        for b in boxes:
            at = _joint_dimension(tools, state, a, b) if a is not b else None
            if at is not None:
                cut = a.ranges[at][1]
                ranges = tuple((low, b.ranges[p][1] if p == at else high) for p, (low, high) in enumerate(a.ranges))
                n = len(ranges)
                cells = Cells(base, ranges, TRUE, arguments(n))
                test = k.lt(k.bound(n - 1 - at, INT), cut)
                return cells, test, (Take(a.family, a.forward, a.back), Take(b.family, b.forward, b.back))
    return None


def _joint_dimension(tools: SearchTools, state: State, a: Box, b: Box) -> int | None:
    """Return the dimension in which b begins where a ends, if the two boxes are equal in all others."""

    def equal(x: Term, y: Term) -> bool:
        return x is y or tools.proves(state.facts, k.eq(x, y))

    different = [p for p, (x, y) in enumerate(zip(a.ranges, b.ranges)) if not (equal(x[0], y[0]) and equal(x[1], y[1]))]
    if len(different) != 1:
        return None
    (at,) = different
    return at if equal(a.ranges[at][1], b.ranges[at][0]) else None
