"""Windows of each channel, such as depthwise convolutions and pooling."""

from __future__ import annotations

from optigpu.schedules.contraction_tools import inline_constants
from optigpu.script.transformation import transformation
from optigpu.transform.registry import TransformSession


@transformation
def windows(
    s: TransformSession, *grid: str, row: str, col: str, rows: int = 8, threads: int = 256, name: str = "tile"
) -> None:
    """A kernel of results that depend on a window each: a thread computes `rows` adjacent results of a column.

    Their windows overlap, so what a thread loads for one row it has for the next. Adjacent threads have adjacent columns. Away from
    the borders of the image nothing is tested. `grid`: the other loops of the result. `name`: a prefix of the loops over blocks.
    """
    inline_constants(s)
    s.loop.tile(col, threads, outer=name + "_col", tail="guard")
    s.loop.tile(row, rows, outer=name + "_row", tail="guard")
    s.loop.reorder(*grid, name + "_row", name + "_col", col, row)
    s.loop.unroll_hint(s.loop.fast_path(row))
    s.gpu.launch(grid=[*grid, name + "_row", name + "_col"], block=[col])
