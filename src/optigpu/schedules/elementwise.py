"""Loops whose iterations do not depend on each other."""

from __future__ import annotations

from optigpu.schedules.nest_reading import array_at, elements_of, index_of, size_of_elements
from optigpu.schedules.new_names import NewNames
from optigpu.schedules.row_loops import length_of, row_sizes, without_guards
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.free_names import body_free_vars
from optigpu.transform.gpu.vectorization import VECTOR_WIDTHS
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.refusal import refuse

THREADS = 256


@transformation
def elementwise(s: TransformSession, *loops: TargetLike, vector: int | None = None, threads: int = THREADS) -> None:
    """A kernel of nested loops, outermost first: a thread computes `vector` adjacent elements, with vector accesses where all of
    them exist. In several loops, these are elements of a row; rows whose length the vector does not divide are not aligned, and go
    element by element. An access has at most 16 bytes: `vector` is 8 if all arrays hold numbers of 16 bits, and 4 otherwise.

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
    if vector is not None and vector not in VECTOR_WIDTHS:
        raise refuse(f"a vector has 2, 4 or 8 elements, not {vector}", code="OG604")
    if not loops:
        raise refuse("name the loops of the elements, outermost first", help='elementwise(s, "i", "j")', code="OG604")
    *outer, last = [s.handle(s.find(loop, "for")) for loop in loops]
    sizes = (length_of(s, last), *row_sizes(s, [last])) if outer else ()
    new = NewNames(s, last)
    vector = vector or usual_vector(s, last)
    blocks = s.loop.tile(last, vector * threads, outer=new.block, tail="guard")
    by_thread = s.loop.tile(blocks.inner, vector, outer=new.t)
    fast = without_guards(s, by_thread.inner, sizes, vector)
    grid = [index_of(loop) for loop in (*outer, blocks.outer)]
    s.gpu.launch(grid=grid, block=[index_of(by_thread.outer)], at=(*outer, blocks.outer)[0])
    s.gpu.vectorize(fast)


def usual_vector(s: TransformSession, loop: TargetLike) -> int:
    """How many elements of the arrays in a loop are 16 bytes, but four at least."""
    outside = body_free_vars((s.at(s.find(loop, "for")),))
    names = {e.array for e in elements_of(s, loop)} & outside
    sizes = {size_of_elements(array_at(s, name, loop)) for name in names}
    return 8 if sizes == {2} else 4
