"""Scans of whole arrays: one kernel sums up tiles, the last one scans them; where there are many, three scan the sums between."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.light_dataclass import replace
from optigpu.schedules.new_names import NewNames
from optigpu.schedules.reading import code
from optigpu.script.handles import Handle
from optigpu.script.targets import For, Target, Write
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.printer import print_expr
from optigpu.syntax.program import Decl, Store
from optigpu.syntax.program import For as Loop
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import rewrite_body
from optigpu.transform.gpu.memory_spaces import pad
from optigpu.transform.loop.loop_targets import loop_at
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.declared_types import array_of

THREADS = 128  # of a block that scans a tile
RUN = 32  # elements that such a thread adds up
TILE = THREADS * RUN
GROUP = 256  # tiles whose sums a block scans
VECTOR = 4
FEW_TILES = 4096  # whose sums each block adds up by itself


@transformation
def scan(s: TransformSession, loop: str, *, var: str, input: str, output: str, few: int = FEW_TILES) -> None:
    """Kernels of a loop that adds elements of `input` to `var` (or multiplies it, or takes a maximum or minimum with them), and
    stores it in `output`.

    The first kernel sums up each tile of 4096 elements, and the last one scans the tiles: the array is read twice and written
    once, in vectors, through shared memory, where each thread adds up a run of elements. If there are at most `few` tiles, a block
    of the last kernel adds up the sums before its tile; if there are more, three small kernels compute what is before each tile.
    `few=0` makes no version for few tiles.

    Before:
        float total = 0.0f;
        for (int i = 0; i < n; i++) {
          total += a[i];
          out[i] = total;
        }
    Step: schedules.scan(s, "i", var="total", input="a", output="out")
    After: two kernels for at most 4096 tiles, five for more.

    Needs: a loop from 0 over a whole array, which stores the variable after it has changed it.
    Fails: when the loop uses what it stores.
    """
    s.find_all(For(loop, body=Write(output)), "for")
    s.find_all(For(loop, body=Write(var)), "for")
    when = _has_few_tiles(s, loop, output, few)
    if when is None:
        return _by_groups(s, loop, var, input, output)
    fast, rest = s.function.versions(when)
    with s.inside(fast):
        _by_blocks(s, loop, var, input, output)
    with s.inside(rest):
        _by_groups(s, loop, var, input, output)


def _has_few_tiles(s: TransformSession, loop: str, output: str, few: int) -> str | None:
    """Whether a scan has at most `few` tiles, as C; None if it is not all that a function does."""
    path, scanned = loop_at(s, For(loop, body=Write(output)))
    numbers = {x.name for x in s.function_of(path).params if isinstance(x.type, Scalar)}
    around = [x for x in code(s.around(path)) if not isinstance(x, Decl)]
    known = free_vars(scanned.range.bound) <= numbers
    return f"({print_expr(scanned.range.bound)}) <= {few * TILE}" if few > 0 and len(around) == 1 and known else None


def _by_blocks(s: TransformSession, loop: str, var: str, input: str, output: str) -> None:
    """Two kernels: each block of the last one adds up the sums of all tiles before its own."""
    new = NewNames(s, For(loop, body=Write(output)))
    passes = s.reduce.scan(loop, TILE, outer=new.b, sums=new.sums, before=new.base, twice=True)
    with s.inside(passes.tile_sums):
        loads = [_summed_by_threads(s, new, For(loop, body=Write(var)), var, new.t, new.shares)]
    with s.inside(passes.offsets):
        added = _in_variable(s, passes.offsets, new)
        before = _summed_by_threads(
            s, new, For(added), new.before, new.y, new.all_shares, threads=THREADS, tail="guard"
        )
        loads.append(before)
    with s.inside(passes.result):
        copies = _tiles(s, new, loop, input, output)
    s.loop.fusion(For(new.b, body=Write(new.base)))
    s.gpu.launch(grid=[new.b], block=[new.t], shared=[new.shares], at=For(new.b, body=Write(new.shares)))
    of_tiles = {new.tile: pad(1), new.r: pad(1), new.runs: None, new.all_shares: None}
    block = [new.y, new.row, new.q, new.x]
    last = For(new.b, body=Write(new.tile))
    s.gpu.launch(grid=[new.b], block=block, shared=of_tiles, registers={new.own: 1}, at=last)
    s.gpu.stay_on_device()
    _vectorized(s, new, loads, copies, input, output)


def _in_variable(s: TransformSession, offsets: Handle, new: NewNames) -> str:
    """Let each iteration add up what is before its tile in a variable. The index of its loop."""
    path, loop = loop_at(s, offsets)
    first, inner = loop.body
    assert isinstance(first, Store) and isinstance(inner, Loop)
    total = Var(new.before)
    body = rewrite_body(inner.body, lambda e: total if e == first.target else e)
    elem = array_of(s, path, new.base).elem
    result = replace(first, value=total)
    s.put(path, replace(loop, body=(Decl(new.before, elem, first.value), replace(inner, body=body), result)))
    return inner.index


def _by_groups(s: TransformSession, loop: str, var: str, input: str, output: str) -> None:
    """Five kernels: three scan the sums of tiles, in groups."""
    new = NewNames(s, For(loop, body=Write(output)))
    passes = s.reduce.scan(loop, TILE, outer=new.b, sums=new.sums, before=new.base, twice=True, running=new.before)
    with s.inside(passes.tile_sums):
        loads = [_summed_by_threads(s, new, For(loop, body=Write(var)), var, new.t, new.shares)]
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
    _vectorized(s, new, loads, copies, input, output)


def _vectorized(
    s: TransformSession, new: NewNames, loads: Sequence[Handle], copies: Sequence[Handle], input: str, output: str
) -> None:
    """Vector accesses of the loads of sums, and of the copies of tiles."""
    for load in loads:
        s.gpu.vectorize(load / For(new.v))
    for copy, array in zip(copies, (input, output)):
        s.gpu.vectorize(copy / For(new.v), arrays=[f"d_{array}"])


def _summed_by_threads(
    s: TransformSession,
    new: NewNames,
    own: Target,
    var: str,
    t: str,
    shares: str,
    *,
    threads: int = 2 * THREADS,
    tail: str = "divides",
) -> Handle:
    """A sum of adjacent elements by the threads of a block: adjacent ones load adjacent vectors, and a tree sums up the threads.
    `t`, `shares`: names of the loop over threads, and of the array with their sums. Returns the loop of the loads where all
    elements exist."""
    s.loop.tile(own, VECTOR * threads, outer=new.u, tail=tail)
    s.loop.tile(own, VECTOR, outer=t)
    s.loop.rename(own, new.v)
    s.loop.reorder(t, new.u, new.v, at=Write(var))
    parts = s.reduce.parts(For(t), var=var, parts=shares)
    s.reduce.tree(parts.combine)
    return s.loop.fast_path(For(t) / For(new.u))


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
