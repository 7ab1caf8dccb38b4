"""Scans of whole arrays: one kernel sums up tiles, three scan the sums, the last one scans the tiles."""

from __future__ import annotations

from optigpu.schedules.new_names import NewNames
from optigpu.script.handles import Handle
from optigpu.script.targets import For, Write
from optigpu.script.transformation import transformation
from optigpu.syntax.program import Store
from optigpu.transform.gpu.memory_spaces import pad
from optigpu.transform.registry import TransformSession

THREADS = 128  # of a block that scans a tile
RUN = 32  # elements that such a thread adds up
GROUP = 256  # tiles whose sums a block scans
VECTOR = 4


@transformation
def scan(s: TransformSession, loop: str, *, var: str, input: str, output: str) -> None:
    """Kernels of a loop that adds elements of `input` to `var` (or multiplies it, or takes a maximum or minimum with them), and
    stores it in `output`.

    The first kernel sums up each tile, three small ones compute the sum before each tile, and the last one scans the tiles: the
    array is read twice and written once, in vectors, through shared memory, where each thread adds up a run of elements.

    Before:
        float total = 0.0f;
        for (int i = 0; i < n; i++) {
          total += a[i];
          out[i] = total;
        }
    Step: schedules.scan(s, "i", var="total", input="a", output="out")
    After: five kernels, for any n.

    Needs: a loop from 0 over a whole array, which stores the variable after it has changed it.
    Fails: when the loop uses what it stores.
    """
    s.find_all(For(loop, body=Write(output)), "for")
    s.find_all(For(loop, body=Write(var)), "for")
    tile, new = THREADS * RUN, NewNames(s, For(loop, body=Write(output)))
    passes = s.reduce.scan(loop, tile, outer=new.b, sums=new.sums, before=new.base, twice=True, running=new.before)
    with s.inside(passes.tile_sums):
        loads = _tile_sums(s, new, loop, var)
    _tile_offsets(s, new, passes.offsets)
    with s.inside(passes.result):
        copies = _tiles(s, new, loop, input, output)

    of_tiles = {new.tile: pad(1), new.r: pad(1), new.runs: None}
    last = For(new.b, body=Write(new.tile))
    s.gpu.launch(grid=[new.b], block=[new.t], shared=[new.shares], at=For(new.b, body=Write(new.shares)))
    s.gpu.launch(grid=[new.g], block=[new.b], shared=[new.some], at=For(new.g, body=Write(new.some)))
    s.gpu.launch(grid=[new.all], block=[new.g])
    s.gpu.launch(
        grid=[new.g], block=[new.w], shared=[new.one], registers={new.others: 1}, at=For(new.g, body=Write(new.one))
    )
    s.gpu.launch(grid=[new.b], block=[new.row, new.q, new.x], shared=of_tiles, registers={new.own: 1}, at=last)
    s.gpu.stay_on_device()
    s.gpu.vectorize(loads / For(new.v))
    for copy, array in zip(copies, (input, output)):
        s.gpu.vectorize(copy / For(new.v), arrays=[f"d_{array}"])


def _tile_sums(s: TransformSession, new: NewNames, loop: str, var: str) -> Handle:
    """The sum of each tile: adjacent threads load adjacent vectors, and a tree sums up the threads. Returns the loop of the loads
    in whole tiles."""
    own = For(loop, body=Write(var))
    s.loop.tile(own, 2 * VECTOR * THREADS, outer=new.u)
    s.loop.tile(own, VECTOR, outer=new.t)
    s.loop.rename(own, new.v)
    s.loop.reorder(new.t, new.u, new.v, at=Write(var))
    shares = s.reduce.parts(For(new.t), var=var, parts=new.shares)
    s.reduce.tree(shares.combine)
    return s.loop.fast_path(For(new.t) / For(new.u))


def _tile_offsets(s: TransformSession, new: NewNames, offsets: Handle) -> None:
    """The sum before each tile, as a scan in groups of tiles: their sums, their offsets, the offsets inside them."""
    groups = s.reduce.scan(offsets, GROUP, outer=new.g, sums=new.groups, before=new.until, twice=True)
    s.reduce.scan(groups.result / For(new.b), 1, outer=new.w, sums=new.one, before=new.others, twice=True)
    some = s.reduce.parts(groups.tile_sums / For(new.b), var=new.before, parts=new.some)
    s.reduce.tree(some.combine)
    s.loop.tile(groups.offsets, GROUP, outer=new.all, tail="guard")


def _tiles(s: TransformSession, new: NewNames, loop: str, input: str, output: str) -> list[Handle]:
    """The scan of each tile: coalesced loads and stores through shared memory, where a thread adds up a run. Returns the loops of
    the loads and stores in whole tiles."""
    store = s.at(Write(output))
    assert isinstance(store, Store)
    s.matrix.stage(input, at=For(loop, body=Write(output)), name=new.tile)
    s.variable.bind(Write(output), new.r, store.value)
    s.loop.hoist(new.r)
    s.loop.fission(before=Write(output))
    s.reduce.scan(For(loop, body=Write(new.r)), RUN, outer=new.x, sums=new.runs, before=new.own, twice=True)
    whole: list[Handle] = []
    for written in (new.tile, output):
        copy = For(loop, body=Write(written))
        s.loop.tile(copy, VECTOR * THREADS, outer=new.u)
        s.loop.tile(copy, RUN, outer=new.row)
        s.loop.tile(copy, VECTOR, outer=new.q)
        s.loop.rename(copy, new.v)
        s.loop.reorder(new.row, new.q, new.u, new.v, at=Write(written))
        whole.append(s.loop.fast_path(For(new.row, body=Write(written))))
    s.matrix.split_dim(new.tile, 0, RUN)
    s.matrix.split_dim(new.r, 0, RUN)
    return whole
