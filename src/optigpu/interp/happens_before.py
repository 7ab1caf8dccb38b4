"""The race rule of the interpreter: which two accesses to a cell are a data race.

Races are decided by happens-before, not by the schedule. Each access has the path of (region, iteration) pairs of the parallel
loops around it, from the outside in. Two accesses are concurrent if and only if their paths first differ in the iteration of one
region: iterations of one execution of a parallel loop are unordered, everything else is ordered. Two concurrent accesses to a
cell, at least one of them a write, are a race, unless both are atomic operations with the same operator. `Heap.note` records each
access and applies the rule; in a kernel, `thread_scheduler.py` makes the paths of threads, and a barrier starts a new region.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field
from typing import NamedTuple, TypeAlias

from optigpu.light_dataclass import dataclass
from optigpu.syntax.source import Loc

TaskPath: TypeAlias = tuple[tuple[int, int], ...]


class RecordedAccess(NamedTuple):
    """An access to a cell: by which task, and where in the program."""

    path: TaskPath
    loc: Loc
    who: tuple[tuple[str, int], ...] | None = (
        None  # of a GPU thread: names and values of the thread loops' indices around it
    )


@dataclass(slots=True)
class Shadow:
    """The accesses to a cell that later ones can race with: the last write, and the last read of each task since then.

    Atomic operations of one operator do not race with each other: the last one of each task and operator since the last write.
    """

    write: RecordedAccess | None = None
    reads: dict[Hashable, RecordedAccess] = field(default_factory=dict)
    atomics: dict[tuple[Hashable, str], RecordedAccess] = field(default_factory=dict)


def concurrent(a: TaskPath, b: TaskPath) -> bool:
    """Whether neither of two accesses happens before the other: their paths first differ in the iteration of one region."""
    for (region1, iteration1), (region2, iteration2) in zip(a, b):
        if region1 != region2:
            return False
        if iteration1 != iteration2:
            return True
    return False
