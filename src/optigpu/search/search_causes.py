"""Causes of a failed search, beside those of the kernel's rules; and data races, with what a person wants to know of them."""

from __future__ import annotations

from enum import Enum

from optigpu.kernel.causes import (
    Cause,
    Leak,
    MissingPermission,
    Overlap,
    UnequalParts,
    Uninitialised,
    WrongValue,
    with_fields,
)
from optigpu.light_dataclass import dataclass
from optigpu.logic.cells import Cells
from optigpu.logic.terms import Term

Levels = tuple[tuple[str, Term], ...]  # the thread groups around a point, outermost first: loop, number of threads


@with_fields
class ReadOnly(Cause, word="read-only"):
    """Memory is written that is held for reading only."""

    index: tuple[Term, ...] | None = None


class Obstacle(Enum):
    """Why the exploration of a loop cannot say what it does."""

    NO_MEMORY = "no memory"  # an array is accessed that does not exist here
    FREED = "freed"  # the body frees an array from outside the loop
    GEOMETRIC = "geometric"  # the index is multiplied or divided, not over known numbers
    VARIABLES = "variables"  # the user's annotations have logical variables
    INDEX = "index"  # the iteration that wrote a cell cannot be computed from its index


@with_fields
class NoLoopContract(Cause, word="infer"):
    """No contract was found for a loop."""

    obstacle: Obstacle

    @property
    def reason(self) -> str:
        return self.obstacle.value


@with_fields
class UnknownVariable(Cause, word="variable"):
    """No value was found for a logical variable of the called function."""

    name: str


@with_fields
class SharedByThreads(Cause, word="race"):
    """Several iterations of a thread loop access a cell, and one of them writes it."""

    at: int = 0  # the access
    rejected: Cause | None = None  # the rejection by which it was found


@with_fields
class UnequalNestedParts(UnequalParts, word="extent"):
    """A thread loop inside others does not divide the threads that those leave it."""

    index: str
    inner: Levels
    at: int


class RaceKind(Enum):
    """How two accesses of one cell are unordered."""

    ONE_LOOP = "race"  # iterations of one thread loop
    AFTER_WRITE = "owner"  # an access after another thread's write
    AFTER_READ = "read"  # a write after another thread's read


class RaceScope(Enum):
    """Are the two threads in one block?"""

    BLOCK = "block"
    GRID = "grid"


@dataclass(frozen=True, slots=True)
class RaceWitness:
    """Two threads (numbers in the block, or in the grid) that access a cell, in a block of so many threads."""

    now: int
    then: int
    cell: tuple[int, ...]
    block: int


@dataclass(frozen=True, slots=True)
class MissingBarrier:
    """The barrier that would order two accesses, and the instruction before which it would stand."""

    level: str  # "block" or "warp"
    before: int
    block: Term  # the number of threads in a block


class StillAccumulating(Cause, word="accumulating"):
    """Cells to which threads have added by an atomic operator are accessed in another way before a barrier."""


@with_fields
class DataRace(Cause, word="race"):
    """Two accesses of one cell are not ordered."""

    rejected: Cause
    kind: RaceKind
    scope: RaceScope
    space: str
    earlier: int | None = None  # the other access
    witness: RaceWitness | None = None
    barrier: MissingBarrier | None = None

    @property
    def reason(self) -> str:
        return self.kind.value


def shared_by_threads(cause: Overlap) -> SharedByThreads:
    """Iterations of a thread loop whose cells overlap."""
    return SharedByThreads(cause.operation, cause.base, rejected=cause, facts=cause.facts, goal=cause.goal)


def rejection_of(cause: Cause) -> Cause:
    """The rejection by which a data race was found; of other causes, the cause itself."""
    match cause:
        case DataRace(rejected=rejected):
            return rejected
        case SharedByThreads(rejected=Cause() as rejected):
            return rejected
        case _:
            return cause


def cells_of(cause: Cause) -> Cells | None:
    """The cells that a rejection is about."""
    match cause:
        case MissingPermission(need=cells) | Overlap(need=cells) | Uninitialised(cells=cells) | WrongValue(cells=cells):
            return cells
        case Leak(cells=cells):
            return cells
        case _:
            return None
