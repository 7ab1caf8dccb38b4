"""How a transformation refuses a program that it does not apply to."""

from __future__ import annotations

from optigpu.syntax.diagnostic import Diagnostic, InputError
from optigpu.syntax.program import Stmt
from optigpu.syntax.source import NOWHERE


def refuse(message: str, at: Stmt | None = None, help: str | None = None, code: str = "OG603") -> InputError:
    """The error to raise. OG601: no such statement or name; OG602: ambiguous; OG603: does not apply; OG604: wrong argument."""
    return InputError(Diagnostic(code, message, NOWHERE if at is None else at.loc, (), (), help))
