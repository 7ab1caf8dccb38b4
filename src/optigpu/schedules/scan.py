"""Scans of whole arrays: one kernel sums up tiles, three scan the sums, the last one scans the tiles."""

from __future__ import annotations

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
    tile = THREADS * RUN
    passes = s.reduce.scan(loop, tile, outer="b", sums="sums", before="base", twice=True, running="before")
    with s.inside(passes.tile_sums):
        loads = _tile_sums(s, loop, var)
    _tile_offsets(s, passes.offsets)
    with s.inside(passes.result):
        copies = _tiles(s, loop, input, output)

    of_tiles = {"tile": pad(1), "r": pad(1), "runs": None}
    last = For("b", body=Write("tile"))
    s.gpu.launch(grid=["b"], block=["t"], shared=["shares"], at=For("b", body=Write("shares")))
    s.gpu.launch(grid=["g"], block=["b"], shared=["some"], at=For("g", body=Write("some")))
    s.gpu.launch(grid=["all"], block=["g"])
    s.gpu.launch(grid=["g"], block=["w"], shared=["one"], registers={"others": 1}, at=For("g", body=Write("one")))
    s.gpu.launch(grid=["b"], block=["row", "q", "x"], shared=of_tiles, registers={"own": 1}, at=last)
    s.gpu.stay_on_device()
    s.gpu.vectorize(loads / For("v"))
    for copy, array in zip(copies, (input, output)):
        s.gpu.vectorize(copy / For("v"), arrays=[f"d_{array}"])


def _tile_sums(s: TransformSession, loop: str, var: str) -> Handle:
    """The sum of each tile: adjacent threads load adjacent vectors, and a tree sums up the threads. Returns the loop of the loads
    in whole tiles."""
    own = For(loop, body=Write(var))
    s.loop.tile(own, 2 * VECTOR * THREADS, outer="u")
    s.loop.tile(own, VECTOR, outer="t")
    s.loop.rename(own, "v")
    s.loop.reorder("t", "u", "v", at=Write(var))
    shares = s.reduce.parts(For("t"), var=var, parts="shares")
    s.reduce.tree(shares.combine)
    return s.loop.fast_path(For("t") / For("u"))


def _tile_offsets(s: TransformSession, offsets: Handle) -> None:
    """The sum before each tile, as a scan in groups of tiles: their sums, their offsets, the offsets inside them."""
    groups = s.reduce.scan(offsets, GROUP, outer="g", sums="groups", before="until", twice=True)
    s.reduce.scan(groups.result / For("b"), 1, outer="w", sums="one", before="others", twice=True)
    some = s.reduce.parts(groups.tile_sums / For("b"), var="before", parts="some")
    s.reduce.tree(some.combine)
    s.loop.tile(groups.offsets, GROUP, outer="all", tail="guard")


def _tiles(s: TransformSession, loop: str, input: str, output: str) -> list[Handle]:
    """The scan of each tile: coalesced loads and stores through shared memory, where a thread adds up a run. Returns the loops of
    the loads and stores in whole tiles."""
    store = s.at(Write(output))
    assert isinstance(store, Store)
    s.matrix.stage(input, at=For(loop, body=Write(output)), name="tile")
    s.variable.bind(Write(output), "r", store.value)
    s.loop.hoist("r")
    s.loop.fission(before=Write(output))
    s.reduce.scan(For(loop, body=Write("r")), RUN, outer="x", sums="runs", before="own", twice=True)
    whole: list[Handle] = []
    for written in ("tile", output):
        copy = For(loop, body=Write(written))
        s.loop.tile(copy, VECTOR * THREADS, outer="u")
        s.loop.tile(copy, RUN, outer="row")
        s.loop.tile(copy, VECTOR, outer="q")
        s.loop.rename(copy, "v")
        s.loop.reorder("row", "q", "u", "v", at=Write(written))
        whole.append(s.loop.fast_path(For("row", body=Write(written))))
    s.matrix.split_dim("tile", 0, RUN)
    s.matrix.split_dim("r", 0, RUN)
    return whole
