"""Loops whose iterations do not depend on each other."""

from __future__ import annotations

from optigpu.schedules.nest_reading import index_of
from optigpu.schedules.new_names import NewNames
from optigpu.schedules.row_loops import length_of, row_sizes, without_guards
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.refusal import refuse

THREADS = 256


@transformation
def elementwise(s: TransformSession, *loops: TargetLike, vector: int = 4, threads: int = THREADS) -> None:
    """A kernel of nested loops, outermost first: a thread computes `vector` adjacent elements, with vector accesses where all of
    them exist. In several loops, these are elements of a row; rows whose length the vector does not divide are not aligned, and go
    element by element.

    Before:
        for (int i = 0; i < n; i++) {
          c[i] = a[i] + b[i];
        }
    Step: schedules.elementwise(s, "i")
    After: a kernel of 256 threads a block, each of which loads `float4`, adds and stores `float4`; the last threads go one by one.

    Needs: loops each of which is the whole body of the one before; arrays that have adjacent elements along the last loop, or one
    element for all of it (broadcasting).
    Fails: when iterations depend on each other.
    """
    if vector not in (2, 4):
        raise refuse(f"a vector has 2 or 4 elements, not {vector}", code="OG604")
    if not loops:
        raise refuse("name the loops of the elements, outermost first", help='elementwise(s, "i", "j")', code="OG604")
    *outer, last = [s.handle(s.find(loop, "for")) for loop in loops]
    sizes = (length_of(s, last), *row_sizes(s, [last])) if outer else ()
    new = NewNames(s, last)
    blocks = s.loop.tile(last, vector * threads, outer=new.block, tail="guard")
    by_thread = s.loop.tile(blocks.inner, vector, outer=new.t)
    fast = without_guards(s, by_thread.inner, sizes, vector)
    grid = [index_of(loop) for loop in (*outer, blocks.outer)]
    s.gpu.launch(grid=grid, block=[index_of(by_thread.outer)], at=(*outer, blocks.outer)[0])
    s.gpu.vectorize(fast)
