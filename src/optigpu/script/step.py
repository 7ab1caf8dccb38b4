"""The record of a session's steps, which the trace, the diff and the command line show."""

from __future__ import annotations

from optigpu.check.verdict import ProgramResult
from optigpu.errors.problem import Problem
from optigpu.light_dataclass import dataclass
from optigpu.syntax.diagnostic import Diagnostic
from optigpu.syntax.program import Program
from optigpu.syntax.source import NOWHERE, Loc


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a script: the program before and after it, and the verdict."""

    number: int  # 0 is the program as parsed
    title: str  # loop.tile("x", 32, outer="bx")
    file: str  # the script, or "" where there is none
    line: int  # of the call in the script; 0 if unknown
    source: str  # that line's text
    phase: tuple[str, ...]  # names of the phases around it
    before: Program
    after: Program  # what the step made, also when it was rejected
    result: ProgramResult | None  # None inside a phase, where the end of the phase checks
    seconds: float  # transformation and check
    error: Problem | Diagnostic | None = None  # why it was rejected
    removed: tuple[str, ...] = ()  # annotations that no longer hold after it, and are not in the program any more

    @property
    def loc(self) -> Loc:
        """The line of the script."""
        return Loc(self.file, self.line, 1, self.line, len(self.source) + 1) if self.line else NOWHERE


@dataclass(frozen=True, slots=True)
class Record:
    name: str  # of the function or file
    script: str  # text of the script, "" if unknown
    steps: tuple[Step, ...]
