"""Why a function is not verified, as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from optigpu.syntax.source import Loc


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a function is not verified: a code, the places concerned, and the data of the failed rule."""

    code: str
    loc: Loc
    data: dict[str, Any] = field(default_factory=dict)
    labels: tuple[tuple[Loc, str], ...] = ()
    message: str = ""  # for problems that come with their own sentence
    statement: int = 0  # of the function concerned (see points.py); 0: its contract
