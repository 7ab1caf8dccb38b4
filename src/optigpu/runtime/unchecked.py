"""Warnings about preconditions that a call does not check."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from pathlib import Path

FOLDER = str(Path(__file__).parent)


class Unchecked:
    def __init__(self, function: str) -> None:
        self.function = function
        self.warned: set[str] = set()

    def say(self, texts: Iterable[str]) -> None:
        """Warn once for each precondition."""
        new = [t for t in texts if t not in self.warned]
        if new:
            self.warned.update(new)
            what = "; ".join(new)
            message = f"{self.function}: this call does not check what the contract requires: {what} (see .unchecked)"
            warnings.warn(message, stacklevel=levels_to_caller())


def levels_to_caller() -> int:
    """The frames from the function that asks up to the code that called the runtime."""
    frame, levels = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(FOLDER):
        frame, levels = frame.f_back, levels + 1
    return levels
