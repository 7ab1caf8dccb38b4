"""Sums of products on the cores of floats, from tiles that the hardware copies while threads use others."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.light_dataclass import dataclass, replace
from optigpu.schedules.contraction_tools import VECTOR, is_divided, last_size
from optigpu.schedules.pipelined_contraction import WARP_COLS, WARP_ROWS
from optigpu.schedules.required_names import require_positive
from optigpu.schedules.tiled_sums import TiledSum, in_parts, in_turns, staged, tiled, tiled_sum
from optigpu.script.handles import Handle
from optigpu.script.targets import For, Target, Write
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Index, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import If, Store
from optigpu.syntax.substitution import substitute
from optigpu.syntax.tensor_nests import executed
from optigpu.transform.loop.loop_targets import loop_at
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import lit

ROWS_IN_TURN = 8  # rows of blocks whose tiles stay in the cache


@dataclass(frozen=True)
class ResultLoops:
    """The rows, or the columns: the loop over those of a block becomes groups, warps, lanes, and adjacent elements.

    Adjacent lanes have adjacent rows where adjacent summands are adjacent in memory, and four adjacent ones otherwise: then a
    thread reads these at once from a tile."""

    loop: str
    factor: str  # the tile that it is an index of
    outer: tuple[str, str, str]  # names of the loops over groups, warps and lanes
    tile: int
    each: int
    lanes: int  # of a warp in this direction
    along: bool

    @property
    def cuts(self) -> list[tuple[str, int]]:
        """The names of the outer loops, and how many rows an iteration of each has."""
        group, warp, lane = self.outer
        vector = 1 if self.along else VECTOR
        cuts = [(group, vector * self.tile // self.each), (warp, vector * self.lanes)]
        return cuts if self.along else [*cuts, (lane, VECTOR)]

    @property
    def threads(self) -> list[str]:
        return [self.outer[1], self.loop if self.along else self.outer[2]]

    @property
    def own(self) -> list[str]:
        """The loops over the rows of a thread."""
        return [self.outer[0]] if self.along else [self.outer[0], self.loop]

    @property
    def dims(self) -> list[str]:
        return [*(name for name, _ in self.cuts), self.loop]


@transformation
def copied_contraction(
    s: TransformSession,
    *,
    rows: str,
    cols: str,
    inner: str,
    left: str,
    right: str,
    out: str,
    grid: Sequence[str] = (),
    total: str = "sum",
    tile: tuple[int, int, int] = (128, 256, 32),
    each: tuple[int, int] = (8, 16),
    stages: int = 4,
    rows_in_turn: int = ROWS_IN_TURN,
    parts: int = 1,
    aligned: bool = False,
) -> None:
    """A kernel of `out[rows][cols] = f(sum over inner of left[rows] * right[cols])` on the cores of floats, for any sizes. `grid`:
    the other loops of the result, as those of batches.

    A block computes the results of a `tile`: rows, columns, and summands that are copied at a time; a thread `each` rows and
    columns of them. While threads use the tiles of one chunk, those of the next `stages - 1` are copied by the hardware, if the
    rows of the factors begin at multiples of 16 bytes. `aligned`: it is known that all rows do, so that nothing tests it.
    `rows_in_turn`, `parts`: see `tile_contraction`.

    Before:
        for (int i = 0; i < m; i++) {
          for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int k = 0; k < p; k++) {
              sum += a[i][k] * b[k][j];
            }
            c[i][j] = sum;
          }
        }
    Step: schedules.copied_contraction(s, rows="i", cols="j", inner="k", left="a", right="b", out="c")
    After: a kernel whose blocks compute 128 x 256 elements of `c`, a thread 8 x 16 of them, in a pipeline of four stages.

    Needs: a nest of independent loops around one sum of products, all of whose loops are named.
    Fails: when the tile is not one of whole warps of threads.
    """
    require_positive(tile=tile, each=each, parts=(parts,), rows_in_turn=(rows_in_turn,))
    whole = not (tile[0] % (each[0] * WARP_ROWS) or tile[1] % (each[1] * WARP_COLS))
    if not whole or any(n % VECTOR for n in (*each, tile[2])):
        message = f"a tile {tile[0]} x {tile[1]} x {tile[2]} is not one of warps with {WARP_ROWS} x {WARP_COLS} threads"
        raise refuse(
            message, help=f"each of which has {each[0]} x {each[1]} results, multiples of {VECTOR}", code="OG604"
        )
    if tile[0] * tile[1] == each[0] * each[1] * WARP_ROWS * WARP_COLS:
        raise refuse(
            f"a tile of {tile[0]} x {tile[1]} results is that of one warp, and several copy tiles", code="OG604"
        )
    c = tiled_sum(s, rows=rows, cols=cols, inner=inner, left=left, right=right, out=out, grid=grid, total=total)
    if parts > 1:
        c = in_parts(s, c, tile[2], parts)
    n = c.new
    r = ResultLoops(rows, n.left_tile, (n.hr, n.wr, n.tr), tile[0], each[0], WARP_ROWS, c.along[0])
    q = ResultLoops(cols, n.right_tile, (n.hc, n.wc, n.tc), tile[1], each[1], WARP_COLS, c.along[1])
    tiled(s, c, tile)
    staged(s, c)
    threads = _divided_among_threads(s, c, r, q)
    loads = [_in_registers(s, c, side, name) for side, name in ((r, n.left_part), (q, n.right_part))]
    stored = _stored(s, c, q, aligned)
    s.loop.unroll_hint(n.quad)
    blocks = in_turns(s, c, rows_in_turn)
    s.gpu.launch(grid=blocks, block=threads, registers={c.total: 4})
    s.gpu.pipeline(n.chunk, stages=stages)
    for loop in loads:
        s.gpu.vectorize(loop)
    if stored is not None:
        s.gpu.vectorize(stored)
    if parts > 1:
        s.gpu.stay_on_device()


def _divided_among_threads(s: TransformSession, c: TiledSum, r: ResultLoops, q: ResultLoops) -> list[str]:
    """Divide the loops over the results of a block; those over threads."""
    inside, own = [r.threads[0], q.threads[0], r.threads[1], q.threads[1]], [*r.own, *q.own]
    for side in (r, q):
        summed, stored = For(side.loop, body=Write(c.total)), For(side.loop, body=Write(c.out))
        for nest in (summed.first, For(c.new.chunk) / summed, stored):
            for outer, size in side.cuts:
                s.loop.tile(nest, size, outer=outer)
    for side, at in ((r, 0), (q, len(r.dims))):
        for n, (_, size) in enumerate(side.cuts):
            s.matrix.split_dim(c.total, at + n, size)
    dims = [*r.dims, *q.dims]
    s.matrix.reorder_dims(c.total, [dims.index(loop) for loop in (*inside, *own)])
    s.loop.tile(For(c.new.chunk) / For(c.inner, body=Write(c.total)), VECTOR, outer=c.new.quad)
    s.loop.reorder(*inside, *own, at=Write(c.total).first)
    s.loop.reorder(*inside, c.new.quad, c.inner, *own, at=For(c.new.chunk) / Write(c.total))
    s.loop.reorder(*inside, *own, at=Write(c.out))
    return inside


def _in_registers(s: TransformSession, c: TiledSum, side: ResultLoops, name: str) -> Target:
    """Read four adjacent elements of a tile at once, summands of each row or rows of each summand: the loop that does."""
    summand = For(c.new.quad) / For(c.inner, body=Write(c.total))
    at = summand if side.along else For(c.new.quad) / For(c.inner) / For(c.new.hr, body=Write(c.total))
    s.matrix.stage(side.factor, at=at, name=name)
    return For(c.inner if side.along else side.loop, body=Write(name))


def _stored(s: TransformSession, c: TiledSum, side: ResultLoops, aligned: bool) -> Handle | None:
    """The loop that writes four adjacent results, where their row begins at a multiple of 16 bytes; None if no thread has these."""
    stores = [x for _, x in s.searched() if isinstance(x, Store) and isinstance(x.target, Index)]
    last = next(x.target.indices[-1] for x in stores if isinstance(x.target, Index) and x.target.base == Var(c.out))
    if side.along or side.loop not in free_vars(last):
        return None
    target = For(side.loop, body=Write(c.out))
    return _guarded_by_first(s, target) if aligned else s.loop.fast_path(target, when=is_divided(last_size(s, c.out)))


def _guarded_by_first(s: TransformSession, target: Target) -> Handle:
    """A loop over four adjacent results that exist if the first one does: it is tested for that one, before the loop."""
    path, loop = loop_at(s, target)
    match executed(loop.body):
        case (If(test, then, ()),):
            first = substitute(test, {loop.index: lit(0)})
            s.put(path, If(first, (replace(loop, body=then, contract=()),)))
            return s.handle(path.child(0))
        case _:
            return s.handle(path)
