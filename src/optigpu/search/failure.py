"""A rejected rule of the kernel, or a failed search, at an instruction."""

from __future__ import annotations

from dataclasses import dataclass

from optigpu.kernel.causes import Cause, MissingPermission, NotOwner, Overlap, Uninitialised, WrongGroup, WrongSpace
from optigpu.search.search_causes import Levels

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


def telling(cause: Cause) -> int:
    """How much a cause says, of several for the same access."""
    return BY_INFORMATION.index(type(cause)) if type(cause) in BY_INFORMATION else -1
