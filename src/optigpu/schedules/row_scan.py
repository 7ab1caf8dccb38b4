"""Scans of rows: a block scans a row tile by tile, through shared memory."""

from __future__ import annotations

from optigpu.script.targets import For, Write
from optigpu.script.transformation import transformation
from optigpu.syntax.program import Store
from optigpu.transform.gpu.memory_spaces import pad
from optigpu.transform.reduce.reductions import operand
from optigpu.transform.registry import TransformSession

THREADS = 128
RUN = 32  # elements that a thread adds up


@transformation
def row_scan(s: TransformSession, *grid: str, loop: str, out: str, var: str) -> None:
    """A kernel with a block for each iteration of `grid`, whose `loop` adds to `var` (or multiplies it, or takes a maximum or
    minimum with it) and stores it in `out`. Each element is read once and written once.
    """
    s.loop.shift_range(loop)
    s.loop.tile(loop, THREADS * RUN, outer="b", tail="guard")
    update = s.at(Write(var))
    assert isinstance(update, Store)
    s.variable.bind(Write(var), "tile", operand(update))
    s.variable.bind(Write(out), "r", var)
    if s.find(Write(out)).positions < s.find(Write(var)).positions:  # an exclusive scan
        s.instr.move("tile", before="r")
        s.instr.move(Write(out), after=Write(var))
    s.loop.hoist("tile")
    s.loop.fission(after=Write("tile"))
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
    s.gpu.launch(grid=grid, block=["row", "t", "q"], shared=shared, registers={"own": 1, var: 0})
