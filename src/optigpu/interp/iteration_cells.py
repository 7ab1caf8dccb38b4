"""The cells that the contract of a loop gives to its iterations."""

from __future__ import annotations

from typing import TypeAlias

from optigpu.interp.formula_evaluation import ClaimedCell
from optigpu.interp.heap import Contents, Heap, index_of
from optigpu.interp.misbehaviour import Misbehaviour

ReadCells: TypeAlias = list[tuple[ClaimedCell, Contents]]  # with what they hold


class IterationCells:
    """Checks that no cell belongs to an iteration twice, to two iterations, or to one that also claims only to read it (OG213)."""

    def __init__(self, heap: Heap) -> None:
        self.heap = heap
        self.of_others: dict[bool, set[tuple[int, int]]] = {True: set(), False: set()}

    def add(self, own: list[ClaimedCell], reads: list[ClaimedCell], *, start: bool) -> None:
        """Add the cells of an iteration, at its start or its end."""
        mine: set[tuple[int, int]] = set()
        for c in own:
            key = _key(c)
            if key in self.of_others[start]:
                raise _misbehaviour(c, "gives {} to two iterations")
            if key in mine:
                raise _misbehaviour(c, "gives {} to an iteration twice")
            if not self.heap.may_write(c.view.alloc, c.flat()):
                raise _misbehaviour(c, "gives {} to an iteration, but the function only reads it")
            mine.add(key)
        for c in reads:
            if _key(c) in mine:
                raise _misbehaviour(c, "gives {} to an iteration, and lets it only read it")
        self.of_others[start] |= mine


def require_unchanged(read: ReadCells) -> None:
    """Cells that an iteration claims only to read hold what they held when it started (OG213)."""
    for c, value in read:
        if c.view.alloc.data[c.flat()] != value:
            raise _misbehaviour(c, "lets an iteration only read {}, which it writes")


def _key(c: ClaimedCell) -> tuple[int, int]:
    return id(c.view.alloc), c.flat()


def _misbehaviour(c: ClaimedCell, what: str) -> Misbehaviour:
    name = index_of(c.view.alloc, c.flat())
    return Misbehaviour("OG213", f"the contract of this loop {what.format(name)}", c.loc)
