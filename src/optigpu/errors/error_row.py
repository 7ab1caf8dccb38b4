"""What a row of the error catalogue holds."""

from __future__ import annotations

from collections.abc import Callable

from optigpu.errors.cause_keys import CauseKey
from optigpu.errors.details import Details
from optigpu.light_dataclass import dataclass

# A template over {array} (the array in backquotes, or "this"), {base} (its name alone) and {race}, or a function of the problem.
Wording = str | Callable[[Details], str | None]


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """An error whose message is written where it is raised, with its details: errors of input, runs, emission and scripts."""

    code: str
    title: str  # for the table of contents in docs/errors.md
    explanation: str  # what `optigpu explain` prints; indented lines are an example


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofErrorRow(ErrorRow):
    """An error of a proof (OG3xx): everything that is said about it."""

    causes: tuple[CauseKey, ...]  # the rejections that have this code; empty if `check` raises the code itself
    message: Wording
    help: Wording | None = None
    race: Wording | None = None  # why two accesses are unordered, if a run may show this problem as a data race
    draws_levels: bool = False  # a note draws the nested thread groups instead of need and have
    shows_type_ranges: bool = False  # the facts in the note `given` include the ranges of machine types

    def message_of(self, d: Details) -> str:
        return self._worded(self.message, d) or ""

    def help_of(self, d: Details) -> str | None:
        return self._worded(self.help, d)

    def race_of(self, d: Details) -> str | None:
        return self._worded(self.race, d)

    def _worded(self, wording: Wording | None, d: Details) -> str | None:
        match wording:
            case None:
                return None
            case str():
                race = self.race_of(d) if "{race}" in wording else ""
                return wording.format(array=d.array, base=d.base, race=race)
            case _:
                return wording(d)
