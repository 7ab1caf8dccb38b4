"""The causes that the catalogue tells apart: a type of cause with the operation, or a kind of data race."""

from __future__ import annotations

from enum import Enum

from optigpu.kernel.causes import Cause, Operation, UnequalParts, UnmetObligation, WrongContext
from optigpu.kernel.context import HOST, THREADS
from optigpu.kernel.instructions import FRAGMENT, REGISTER, SHARED, Obligation
from optigpu.light_dataclass import dataclass
from optigpu.search.search_causes import DataRace, NoLoopContract, Obstacle, RaceKind, RaceScope, SharedByThreads


class Race(Enum):
    """How far apart the two threads of a data race are, and what they do."""

    PRIVATE_MEMORY = "registers of another thread, or shared memory of another block"
    ONE_LOOP = "two iterations of one thread loop"
    BLOCKS = "two blocks of one kernel"
    WRITE_AFTER_READ = "a write, with no barrier after another thread's read"
    ACCESS_AFTER_WRITE = "an access, with no barrier after another thread's write"


class Misplaced(Enum):
    """What stands in a phase of a kernel launch where it cannot stand."""

    CALL = "a call in the setup or teardown of a kernel"


@dataclass(frozen=True, slots=True)
class Rejection:
    """A type of cause, for one operation; of obligations and failed searches, which one."""

    cause: type[Cause]
    operation: Operation
    which: Obligation | Obstacle | None = None


CauseKey = Rejection | Race | Misplaced


def rejections(cause: type[Cause], *operations: Operation) -> tuple[CauseKey, ...]:
    return tuple(Rejection(cause, operation) for operation in operations)


def obligations(*unmet: Obligation) -> tuple[CauseKey, ...]:
    """Conditions of partial operations, by `Oblige.why`."""
    return tuple(Rejection(UnmetObligation, Operation.OBLIGE, obligation) for obligation in unmet)


def no_contract(*obstacles: Obstacle) -> tuple[CauseKey, ...]:
    """Loops for which the search found no contract."""
    return tuple(Rejection(NoLoopContract, Operation.INFER, obstacle) for obstacle in obstacles)


def key_of(cause: Cause) -> CauseKey:
    match cause:
        case DataRace():
            return _race_of(cause)
        case SharedByThreads():
            return Race.ONE_LOOP
        case WrongContext(operation=Operation.CALL, context=context) if context.kind not in (HOST, THREADS):
            return Misplaced.CALL
        case UnmetObligation():
            return Rejection(UnmetObligation, cause.operation, cause.obligation)
        case NoLoopContract():
            return Rejection(NoLoopContract, cause.operation, cause.obstacle)
        case UnequalParts():
            return Rejection(UnequalParts, cause.operation)
        case _:
            return Rejection(type(cause), cause.operation)


def _race_of(race: DataRace) -> Race:
    if race.space in (REGISTER, FRAGMENT) or (race.space == SHARED and race.scope is RaceScope.GRID):
        return Race.PRIVATE_MEMORY
    if race.kind is RaceKind.ONE_LOOP:
        return Race.ONE_LOOP
    if race.scope is RaceScope.GRID:
        return Race.BLOCKS
    return Race.WRITE_AFTER_READ if race.kind is RaceKind.AFTER_READ else Race.ACCESS_AFTER_WRITE
