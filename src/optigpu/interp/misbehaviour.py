"""Ways in which a run can end early: an error of the program, a formula without a value, no more fuel."""

from __future__ import annotations

from optigpu.syntax.diagnostic import Diagnostic, Label
from optigpu.syntax.source import Loc


class Misbehaviour(Exception):
    """The program does something undefined, or breaks a contract (exit code 1)."""

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
    """A formula or operation has no computable value here, for example a function that only axioms describe."""

    def __init__(self, why: str, loc: Loc) -> None:
        super().__init__(why)
        self.why = why
        self.loc = loc


class OutOfFuel(Exception):
    """The run takes more steps than it was allowed."""
