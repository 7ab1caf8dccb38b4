"""Loops whose iterations do not depend on each other."""

from __future__ import annotations

from optigpu.script.transformation import transformation
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.refusal import refuse

THREADS = 256


@transformation
def elementwise(s: TransformSession, loop: str, *, vector: int = 4) -> None:
    """A kernel of a loop: a thread computes `vector` adjacent elements, with vector accesses where all of them exist."""
    if vector not in (2, 4):
        raise refuse(f"a vector has 2 or 4 elements, not {vector}", code="OG604")
    s.loop.tile(loop, vector * THREADS, outer="block", tail="guard")
    s.loop.tile(loop, vector, outer="t")
    fast = s.loop.fast_path(loop)
    s.gpu.launch(grid=["block"], block=["t"])
    s.gpu.vectorize(fast)
