"""What a run can do wrong, with the places concerned."""

from __future__ import annotations

from optigpu.syntax.diagnostic import Diagnostic, Label
from optigpu.syntax.source import Loc


class Misbehaviour(Exception):
    """The program did something it must not do (exit code 1)."""

    def __init__(
        self,
        code: str,
        message: str,
        loc: Loc,
        labels: tuple[Label, ...] = (),
        notes: tuple[tuple[str, str], ...] = (),
    ) -> None:
        super().__init__(f"{loc}: {code}: {message}")
        self.code = code
        self.message = message
        self.loc = loc
        self.labels = labels
        self.notes = notes

    def diagnostic(self) -> Diagnostic:
        return Diagnostic(self.code, self.message, self.loc, self.labels, self.notes)


class CannotEvaluate(Exception):
    """A formula has no computable meaning here, for example a function that only axioms describe."""

    def __init__(self, why: str, loc: Loc) -> None:
        super().__init__(why)
        self.why = why
        self.loc = loc


class OutOfFuel(Exception):
    """The run takes longer than it was allowed to."""
