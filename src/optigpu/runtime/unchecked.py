"""Warnings about preconditions that a call does not check."""

from __future__ import annotations

import warnings
from collections.abc import Iterable


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
            warnings.warn(message, stacklevel=3)
