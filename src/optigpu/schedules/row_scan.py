"""Scans of rows: a block scans a row tile by tile, through shared memory."""

from __future__ import annotations

from optigpu.schedules.new_names import NewNames
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
    new = NewNames(s, loop)
    s.loop.shift_range(loop)
    s.loop.tile(loop, THREADS * RUN, outer=new.b, tail="guard")
    update = s.at(Write(var))
    assert isinstance(update, Store)
    s.variable.bind(Write(var), new.tile, operand(update))
    s.variable.bind(Write(out), new.r, var)
    if s.find(Write(out)).positions < s.find(Write(var)).positions:  # an exclusive scan
        s.instr.move(new.tile, before=new.r)
        s.instr.move(Write(out), after=Write(var))
    s.loop.hoist(new.tile)
    s.loop.fission(after=Write(new.tile))
    s.loop.hoist(new.r)
    s.loop.fission(before=Write(out))
    s.reduce.scan(For(loop, body=Write(new.r)), RUN, outer=new.q, sums=new.runs, before=new.own, twice=True)
    for written in (new.tile, out):  # coalesced copies between the array and shared memory
        s.loop.tile(For(loop, body=Write(written)), THREADS, outer=new.u)
        s.loop.tile(For(loop, body=Write(written)), RUN, outer=new.row)
        s.loop.rename(For(loop, body=Write(written)), new.t)
        s.loop.reorder(new.row, new.t, new.u, at=Write(written))
    s.matrix.split_dim(new.tile, 0, RUN)
    s.matrix.split_dim(new.r, 0, RUN)
    shared = {new.tile: pad(1), new.r: pad(1), new.runs: None}
    s.gpu.launch(grid=grid, block=[new.row, new.t, new.q], shared=shared, registers={new.own: 1, var: 0})
