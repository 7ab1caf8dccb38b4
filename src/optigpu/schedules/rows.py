"""Rows that a block reduces and writes: sums and maxima of each row by all threads of a block, then the elements of the row."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.schedules.required_names import require_in_nest
from optigpu.script.targets import For, Write
from optigpu.script.transformation import transformation
from optigpu.transform.registry import TransformSession

IN_FLIGHT = 4  # elements that a thread loads before it uses them


@transformation
def rows(
    s: TransformSession,
    *grid: str,
    loop: str,
    reductions: Sequence[str],
    outputs: Sequence[str] = (),
    threads: int = 256,
) -> None:
    """A kernel with a block for each iteration of the loops `grid`: its loops over `loop` are divided among the threads.

    `reductions` are the variables that such loops sum up (or take the maximum or minimum in), in their order; `outputs` the arrays
    that such loops write.
    """
    require_in_nest(s, grid, loop, (*reductions, *outputs))
    for var in (*reductions, *outputs):
        _spread(s, loop, var, threads)
    for var in reductions:
        s.reduce.parts(For("t", body=Write(var)), var=var, parts=f"{var}_parts")
    for var in reductions:
        s.reduce.tree(For("t", body=Write(var)))
    s.gpu.launch(grid=grid, block=["t"], shared=[f"{var}_parts" for var in reductions])


def _spread(s: TransformSession, loop: str, var: str, threads: int) -> None:
    """Divide a loop so that adjacent threads have adjacent iterations, and each thread some of them at a time."""
    s.loop.tile(For(loop, body=Write(var)).first, IN_FLIGHT * threads, outer="u", tail="guard")
    s.loop.tile(For(loop, body=Write(var)).first, threads, outer="v")
    s.loop.rename(For("v", body=Write(var)).first / For(loop), "t")
    s.loop.reorder("t", "u", "v", at=Write(var).first)
    s.loop.unroll_hint(For("t", body=Write(var)).first / For("v"), IN_FLIGHT)
