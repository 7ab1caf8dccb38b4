"""Failed proofs: how far a proof has come, and the cause of its failure with the place and what a person wants to know of it."""

from __future__ import annotations

from dataclasses import field

from optigpu.kernel import State
from optigpu.kernel.causes import (
    Cause,
    ClaimedTwice,
    ClaimOutside,
    DifferentBranches,
    Leak,
    MissingPermission,
    NotOwner,
    Overlap,
    Uninitialised,
    WrongGroup,
    WrongSpace,
)
from optigpu.kernel.context import THREADS
from optigpu.light_dataclass import dataclass
from optigpu.search.races import Access, explained, levels
from optigpu.search.search_causes import Levels, SharedByThreads, UnequalNestedParts
from optigpu.search.search_tools import SearchTools

# Which of several reasons not to access a cell says most: the later ones.
BY_INFORMATION = (MissingPermission, Overlap, Uninitialised, NotOwner, WrongGroup, WrongSpace)


@dataclass
class Failed(Exception):
    """A function could not be proved: the cause, and the instruction."""

    cause: Cause
    at: int
    function: str
    clause: tuple[str, int] | None = None  # which clause of the function's contract
    levels: Levels = ()  # the groups of threads around the instruction, in device code

    def __str__(self) -> str:
        return f"{self.cause.operation.value}: {self.cause.reason}"


@dataclass
class Progress:
    """How far the proof of a function has come."""

    function: str
    at: int = 0  # the instruction, or 0 for the function itself
    clause: tuple[str, int] | None = None  # of the function's contract
    state: State | None = None
    accesses: list[Access] = field(default_factory=list)  # loads and stores so far
    allocated: dict[str, int] = field(default_factory=dict)  # the instructions that allocated arrays

    def failure(self, tools: SearchTools, cause: Cause) -> Failed:
        """Turn a rejection at this point into a failure, with its place and an explanation of races."""
        at, clause, groups = self.at, self.clause, Levels()
        if self.state is not None:
            if isinstance(cause, SharedByThreads | UnequalNestedParts):
                at = cause.at or at
            if self.state.context.kind == THREADS:
                inner = cause.inner if isinstance(cause, UnequalNestedParts) else ()
                groups = (*levels(self.state), *inner)
            cause = explained(tools, self.state, cause, self.accesses, at)
        match cause:
            case Leak(base=base) | DifferentBranches(base=base) if base in self.allocated:
                at, clause = self.allocated[base], None
            case ClaimOutside(claims=(_, number)) | ClaimedTwice(claims=(_, number)):
                clause = ("pre", number)
        return Failed(cause, at, self.function, clause, groups)


def information(cause: Cause) -> int:
    """Rank a cause by how much it tells, to report one of several for the same access."""
    return BY_INFORMATION.index(type(cause)) if type(cause) in BY_INFORMATION else -1
