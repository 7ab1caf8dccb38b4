"""What `auto` chooses from: for each schedule, its arguments for the program at hand, or why it does not fit."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TypeAlias

from optigpu.light_dataclass import dataclass, replace
from optigpu.transform.registry import TransformSession


@dataclass(frozen=True)
class Proposal:
    """A schedule, with the arguments that fit the program: `schedule(s, *names, **options)`."""

    schedule: Callable[..., object]
    names: tuple[str, ...]
    options: Mapping[str, object]

    def apply(self, s: TransformSession) -> object:
        return self.schedule(s, *self.names, **self.options)

    @property
    def accepted(self) -> frozenset[str]:
        """The names of the schedule's arguments."""
        return frozenset(inspect.signature(self.schedule).parameters)

    def with_options(self, options: Mapping[str, object]) -> Proposal | Unfit:
        """The same with other options, if the schedule has them."""
        unknown = [name for name in options if name not in self.accepted]
        if unknown:
            return Unfit(self.schedule.__name__, f"it has no option `{unknown[0]}`")
        return replace(self, options={**self.options, **options})

    def __str__(self) -> str:
        """The line of a script that does the same."""
        named = [f"{key}={_shown(value)}" for key, value in self.options.items()]
        return f"{self.schedule.__name__}({', '.join(['s', *map(_shown, self.names), *named])})"


def _shown(value: object) -> str:
    """A value as Python, with the quotation marks of scripts."""
    match value:
        case str():
            return f'"{value}"'
        case list():
            return f"[{', '.join(map(_shown, value))}]"
        case dict():
            return f"{{{', '.join(f'{_shown(k)}: {_shown(v)}' for k, v in value.items())}}}"
        case _:
            return repr(value)


@dataclass(frozen=True)
class Unfit:
    """Why a schedule does not fit, for people: "no loop writes an array with its indices exchanged"."""

    schedule: str
    why: str
    was_tried: bool = False  # it was proposed, and refused or rejected


Proposer: TypeAlias = Callable[[TransformSession], Proposal | Unfit]
