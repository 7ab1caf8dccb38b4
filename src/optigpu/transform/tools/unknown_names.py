"""Names in arguments of steps that mean nothing in the program: the error lists those that do, and the one that is spelt alike."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.program import Stmt
from optigpu.transform.tools.refusal import refuse

MAX_LISTED = 12


def no_such_name(message: str, name: str, known: Iterable[str], at: Stmt | None = None) -> InputError:
    """The error for a name that is none of the `known` ones."""
    candidates = list(dict.fromkeys(known))
    close = get_close_matches(name, candidates, 1)
    listed = ", ".join(candidates[:MAX_LISTED]) + (", …" if len(candidates) > MAX_LISTED else "")
    proposal = f"did you mean `{close[0]}`? " if close else ""
    return refuse(message, at, f"{proposal}there is: {listed or 'none'}", code="OG601")
