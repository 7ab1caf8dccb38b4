"""Scans of whole arrays: one kernel sums up tiles, the last one scans them; where there are many, three scan the sums between."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.light_dataclass import dataclass, replace
from optigpu.schedules.new_names import NewNames
from optigpu.schedules.reading import code
from optigpu.script.handles import Handle
from optigpu.script.targets import For, Target, TargetLike, Write
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.printer import print_expr
from optigpu.syntax.program import Decl, Store
from optigpu.syntax.program import For as Loop
from optigpu.syntax.substitution import substitute_body
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import rewrite_body
from optigpu.transform.gpu.memory_spaces import pad
from optigpu.transform.loop.loop_targets import loop_at
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.counted_loops import counted
from optigpu.transform.tools.declared_types import array_of
from optigpu.transform.tools.simplified import lit, minus

GROUP = 256  # tiles whose sums a block scans
VECTOR = 4


@dataclass(frozen=True)
class TileShape:
    """`threads` of a block that scans a tile, and the `run` of elements that each of them adds up."""

    threads: int
    run: int

    @property
    def size(self) -> int:
        return self.threads * self.run


# For how many elements each block adds up the sums before its tile by itself, and in which tiles; then those for more elements
SHAPES = ((1 << 19, TileShape(128, 8)), (1 << 25, TileShape(256, 32)))
LARGE = TileShape(128, 32)


@transformation
def scan(s: TransformSession, loop: str, *, var: str, input: str, output: str, versions: bool = True) -> None:
    """Kernels of a loop that adds elements of `input` to `var` (or multiplies it, or takes a maximum or minimum with them), and
    stores it in `output`.

    The first kernel sums up each tile, and the last one scans the tiles: the array is read twice and written once, in vectors,
    through shared memory, where each thread adds up a run of elements. Up to 2^25 elements, a block of the last kernel adds up the
    sums before its tile; tiles have 1024 elements up to 2^19, and 8192 above. If there are more elements, three small kernels
    compute what is before each tile of 4096. `versions=False` makes these five kernels for all sizes.

    Before:
        float total = 0.0f;
        for (int i = 0; i < n; i++) {
          total += a[i];
          out[i] = total;
        }
    Step: schedules.scan(s, "i", var="total", input="a", output="out")
    After: three versions, two with two kernels and one with five, for any n.

    Needs: a loop from 0 over a whole array, which stores the variable after it has changed it.
    Fails: when the loop uses what it stores.
    """
    s.find_all(For(loop, body=Write(output)), "for")
    s.find_all(For(loop, body=Write(var)), "for")
    names = ScanNames(loop, var, input, output)
    _versions(s, names, SHAPES if versions and _is_alone(s, names) else ())


@dataclass(frozen=True)
class ScanNames:
    loop: str
    var: str
    input: str
    output: str

    @property
    def stored(self) -> Target:
        return For(self.loop, body=Write(self.output))


def _versions(s: TransformSession, names: ScanNames, shapes: Sequence[tuple[int, TileShape]]) -> None:
    """A version for each of these shapes, and one for more elements."""
    if not shapes:
        return _by_groups(s, names)
    (most, shape), *others = shapes
    _, loop = loop_at(s, names.stored)
    fast, rest = s.function.versions(f"({print_expr(loop.range.bound)}) <= {most}")
    with s.inside(fast):
        _by_blocks(s, names, shape)
    with s.inside(rest):
        _versions(s, names, others)


def _is_alone(s: TransformSession, names: ScanNames) -> bool:
    """Is the scan all that a function does, and its length known when it is called?"""
    path, loop = loop_at(s, names.stored)
    numbers = {x.name for x in s.function_of(path).params if isinstance(x.type, Scalar)}
    around = [x for x in code(s.around(path)) if not isinstance(x, Decl)]
    return len(around) == 1 and path.is_top_level and free_vars(loop.range.bound) <= numbers


def _by_blocks(s: TransformSession, names: ScanNames, shape: TileShape) -> None:
    """Two kernels: each block of the last one adds up the sums of all tiles before its own."""
    new = NewNames(s, names.stored)
    passes = s.reduce.scan(names.loop, shape.size, outer=new.b, sums=new.sums, before=new.base, twice=True)
    with s.inside(passes.tile_sums):
        loads = [_sums_of_tiles(s, names, new, shape)]
    with s.inside(passes.offsets):
        added = For(_in_variable(s, passes.offsets, new))
        threads = Summing(new.before, new.y, new.all_shares, shape.threads, tail="guard")
        loads.append(_summed_by_threads(s, new, added, threads))
    with s.inside(passes.result):
        copies = _tiles(s, new, names, shape)
    _backwards(s, s.loop.fusion(For(new.b, body=Write(new.base))))
    s.gpu.launch(grid=[new.b], block=[new.t], shared=[new.shares], at=For(new.b, body=Write(new.shares)))
    of_tiles = {new.tile: pad(1), new.r: pad(1), new.runs: None, new.all_shares: None}
    block = [new.y, new.row, new.q, new.x]
    last = For(new.b, body=Write(new.tile))
    s.gpu.launch(grid=[new.b], block=block, shared=of_tiles, registers={new.own: 1}, at=last)
    s.gpu.stay_on_device()
    _vectorized(s, new, loads, copies, names)


def _by_groups(s: TransformSession, names: ScanNames) -> None:
    """Five kernels: three scan the sums of tiles, in groups."""
    new = NewNames(s, names.stored)
    passes = s.reduce.scan(
        names.loop, LARGE.size, outer=new.b, sums=new.sums, before=new.base, twice=True, running=new.before
    )
    with s.inside(passes.tile_sums):
        loads = [_sums_of_tiles(s, names, new, LARGE)]
    _tile_offsets(s, new, passes.offsets)
    with s.inside(passes.result):
        copies = _tiles(s, new, names, LARGE)

    of_tiles = {new.tile: pad(1), new.r: pad(1), new.runs: None}
    last = For(new.b, body=Write(new.tile))
    _backwards(s, last)
    s.gpu.launch(grid=[new.b], block=[new.t], shared=[new.shares], at=For(new.b, body=Write(new.shares)))
    s.gpu.launch(grid=[new.g], block=[new.b], shared=[new.some], at=For(new.g, body=Write(new.some)))
    s.gpu.launch(grid=[new.all], block=[new.g])
    s.gpu.launch(
        grid=[new.g], block=[new.w], shared=[new.one], registers={new.others: 1}, at=For(new.g, body=Write(new.one))
    )
    s.gpu.launch(grid=[new.b], block=[new.row, new.q, new.x], shared=of_tiles, registers={new.own: 1}, at=last)
    s.gpu.stay_on_device()
    _vectorized(s, new, loads, copies, names)


def _backwards(s: TransformSession, tiles: TargetLike) -> None:
    """Go through tiles from the last one on: the cache has what was read last."""
    path, loop = loop_at(s, tiles)
    last_first = minus(minus(counted(loop).count, lit(1)), Var(loop.index))
    s.put(path, replace(loop, body=substitute_body(loop.body, {loop.index: last_first})))


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


def _vectorized(
    s: TransformSession, new: NewNames, loads: Sequence[Handle], copies: Sequence[Handle], names: ScanNames
) -> None:
    """Vector accesses of the loads of sums, and of the copies of tiles."""
    for load in loads:
        s.gpu.vectorize(load / For(new.v))
    for copy, array in zip(copies, (names.input, names.output)):
        s.gpu.vectorize(copy / For(new.v), arrays=[f"d_{array}"])


@dataclass(frozen=True)
class Summing:
    """How the threads of a block add up elements: the variable with the sum, the names of the loop over threads and of the array
    with their sums; how many threads, and what is done with a rest (`loop.tile`)."""

    var: str
    t: str
    shares: str
    threads: int
    tail: str = "divides"


def _sums_of_tiles(s: TransformSession, names: ScanNames, new: NewNames, shape: TileShape) -> Handle:
    """The sum of each tile, by as many threads as load two vectors each, or one of small tiles."""
    threads = min(2 * shape.threads, shape.size // VECTOR)
    own = For(names.loop, body=Write(names.var))
    return _summed_by_threads(s, new, own, Summing(names.var, new.t, new.shares, threads))


def _summed_by_threads(s: TransformSession, new: NewNames, own: Target, how: Summing) -> Handle:
    """A sum of adjacent elements by the threads of a block: adjacent ones load adjacent vectors, and a tree sums up the threads.
    Returns the loop of the loads where all elements exist."""
    s.loop.tile(own, VECTOR * how.threads, outer=new.u, tail=how.tail)
    s.loop.tile(own, VECTOR, outer=how.t)
    s.loop.rename(own, new.v)
    s.loop.reorder(how.t, new.u, new.v, at=Write(how.var))
    parts = s.reduce.parts(For(how.t), var=how.var, parts=how.shares)
    s.reduce.tree(parts.combine)
    return s.loop.fast_path(For(how.t) / For(new.u))


def _tile_offsets(s: TransformSession, new: NewNames, offsets: Handle) -> None:
    """The sum before each tile, as a scan in groups of tiles: their sums, their offsets, the offsets inside them."""
    groups = s.reduce.scan(offsets, GROUP, outer=new.g, sums=new.groups, before=new.until, twice=True)
    s.reduce.scan(groups.result / For(new.b), 1, outer=new.w, sums=new.one, before=new.others, twice=True)
    some = s.reduce.parts(groups.tile_sums / For(new.b), var=new.before, parts=new.some)
    s.reduce.tree(some.combine)
    s.loop.tile(groups.offsets, GROUP, outer=new.all, tail="guard")


def _tiles(s: TransformSession, new: NewNames, names: ScanNames, shape: TileShape) -> list[Handle]:
    """The scan of each tile: coalesced loads and stores through shared memory, where a thread adds up a run. Returns the loops of
    the loads and stores in whole tiles."""
    loop, output = names.loop, names.output
    store = s.at(Write(output))
    assert isinstance(store, Store)
    s.matrix.stage(names.input, at=For(loop, body=Write(output)), name=new.tile)
    s.variable.bind(Write(output), new.r, store.value)
    s.loop.hoist(new.r)
    s.loop.fission(before=Write(output))
    s.reduce.scan(For(loop, body=Write(new.r)), shape.run, outer=new.x, sums=new.runs, before=new.own, twice=True)
    whole: list[Handle] = []
    for written in (new.tile, output):
        copy = For(loop, body=Write(written))
        s.loop.tile(copy, VECTOR * shape.threads, outer=new.u)
        s.loop.tile(copy, shape.run, outer=new.row)
        s.loop.tile(copy, VECTOR, outer=new.q)
        s.loop.rename(copy, new.v)
        s.loop.reorder(new.row, new.q, new.u, new.v, at=Write(written))
        whole.append(s.loop.fast_path(For(new.row, body=Write(written))))
    s.matrix.split_dim(new.tile, 0, shape.run)
    s.matrix.split_dim(new.r, 0, shape.run)
    return whole
