"""What `auto` chooses from: for each schedule, its arguments for the program at hand, or why it does not fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from optigpu.light_dataclass import dataclass
from optigpu.transform.registry import TransformSession


@dataclass(frozen=True)
class Proposal:
    """A schedule, with the arguments that fit the program: `schedule(s, *names, **options)`."""

    schedule: Callable[..., object]
    names: tuple[str, ...]
    options: Mapping[str, object]

    def apply(self, s: TransformSession) -> object:
        return self.schedule(s, *self.names, **self.options)


@dataclass(frozen=True)
class Unfit:
    """Why a schedule does not fit, for people: "no loop writes an array with its indices exchanged"."""

    schedule: str
    why: str


Proposer: TypeAlias = Callable[[TransformSession], Proposal | Unfit]
