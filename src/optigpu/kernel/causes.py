"""Why a rule rejects what it is asked."""

from __future__ import annotations

from typing import Any

from optigpu.logic.facts import Facts
from optigpu.logic.terms import Term


class Rejected(Exception):
    """A side condition of a rule does not hold, or could not be shown."""

    def __init__(self, rule: str, why: str, facts: Facts | None = None, goal: Term | None = None, **data: Any) -> None:
        super().__init__(f"{rule}: {why}")  # a goal has a text that may be longer than any memory
        self.rule, self.why, self.facts, self.goal, self.data = rule, why, facts, goal, data
