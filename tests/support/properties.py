"""Property tests that count: how many random examples a property says something about."""

from __future__ import annotations

from collections.abc import Callable


def accepted(holds: Callable[[int], bool], examples: int) -> int:
    """Try a property on as many seeds. It raises where it fails, and returns whether the example counts."""
    count = 0
    for seed in range(examples):
        try:
            count += holds(seed)
        except Exception as e:
            e.add_note(f"seed {seed}")
            raise
    return count
