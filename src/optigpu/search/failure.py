"""A rejected rule of the kernel, at an instruction."""

from __future__ import annotations

from dataclasses import dataclass

from optigpu.kernel import Rejected

# Which of several reasons not to access a cell says most.
REASONS = ("permission", "overlap", "init", "owner", "level", "space")


@dataclass
class Failed(Exception):
    """A rule was rejected at an instruction."""

    rejected: Rejected
    at: int
    function: str
    clause: tuple[str, int] | None = None  # which clause of the function's contract

    def __str__(self) -> str:
        return str(self.rejected)


def telling(r: Rejected) -> int:
    return REASONS.index(r.why) if r.why in REASONS else -1
