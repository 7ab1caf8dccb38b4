"""Prefix sums of rows: a block scans a row tile by tile, through shared memory."""

from __future__ import annotations

from optigpu.script.targets import For, Write
from optigpu.script.transformation import transformation
from optigpu.transform.gpu.memory_spaces import pad
from optigpu.transform.registry import TransformSession

THREADS = 128
RUN = 32  # elements that a thread adds up


@transformation
def row_scan(s: TransformSession, *grid: str, loop: str, array: str, out: str, var: str) -> None:
    """A kernel with a block for each iteration of `grid`, whose `loop` adds elements of `array` to `var` and stores it in `out`."""
    s.loop.tile(loop, THREADS * RUN, outer="b", tail="guard")
    s.variable.local_name("b", var=var, local_var="part")
    s.accesses.shift_var("part", factor=var, inv=True)
    s.matrix.stage(array, at=For(loop), name="tile")
    s.variable.bind(Write(out), "r", f"part + {var}")
    s.loop.hoist("r")
    s.loop.fission(before=Write(out))
    s.reduce.scan(For(loop, body=Write("r")), RUN, outer="q", sums="runs", before="own", twice=True)
    for written in ("tile", out):  # coalesced copies between the array and shared memory
        s.loop.tile(For(loop, body=Write(written)), THREADS, outer="u")
        s.loop.tile(For(loop, body=Write(written)), RUN, outer="row")
        s.loop.rename(For(loop, body=Write(written)), "t")
        s.loop.reorder("row", "t", "u", at=Write(written))
    s.matrix.split_dim("tile", 0, RUN)
    s.matrix.split_dim("r", 0, RUN)
    shared = {"tile": pad(1), "r": pad(1), "runs": None}
    s.gpu.launch(grid=grid, block=["row", "t", "q"], shared=shared, registers={"own": 1, var: 0, "part": 0})
