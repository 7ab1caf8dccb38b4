"""Random tests that count the examples in which the property was really tested, so that a test cannot pass vacuously."""

from __future__ import annotations

from collections.abc import Callable


def accepted(holds: Callable[[int], bool], examples: int) -> int:
    """Run a property on the seeds 0 to `examples` - 1. `holds` raises where it fails, and returns whether the example counts."""
    count = 0
    for seed in range(examples):
        try:
            count += holds(seed)
        except Exception as e:
            e.add_note(f"seed {seed}")
            raise
    return count
