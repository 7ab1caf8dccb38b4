"""Loops whose iterations do not depend on each other."""

from __future__ import annotations

from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax import program
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.refusal import refuse

THREADS = 256


@transformation
def elementwise(s: TransformSession, loop: TargetLike, *, vector: int = 4) -> None:
    """A kernel of a loop: a thread computes `vector` adjacent elements, with vector accesses where all of them exist."""
    if vector not in (2, 4):
        raise refuse(f"a vector has 2 or 4 elements, not {vector}", code="OG604")
    blocks = s.loop.tile(loop, vector * THREADS, outer="block", tail="guard")
    inside = blocks.path().child(0)
    threads = s.loop.tile(inside, vector, outer="t")
    fast = s.loop.fast_path(inside.child(0))
    names = [x.index for x in (blocks.statement(), threads.statement()) if isinstance(x, program.For)]
    s.gpu.launch(grid=names[:1], block=names[1:], at=blocks)
    s.gpu.vectorize(fast)
