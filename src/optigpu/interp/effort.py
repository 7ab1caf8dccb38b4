"""How much a search for inputs has computed, counted instead of timed: what it finds is the same on every machine."""

from __future__ import annotations

from optigpu.light_dataclass import dataclass

SECOND = 600_000  # units that a usual machine computes in a second, about
# A unit is a node of a formula that is evaluated, or a cell of an input that is drawn or allocated.
STEP = 2  # of a statement or an iteration
START = 50  # of the start of a run


@dataclass(slots=True, eq=False)
class Effort:
    """What all runs of a program have cost so far."""

    spent: int = 0

    def after(self, seconds: float) -> int:
        """What will be spent when so many seconds more have been computed."""
        return self.spent + round(seconds * SECOND)
