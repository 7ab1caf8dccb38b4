"""Sums of products on tensor cores: a warp computes tiles of 16 x 8 from tiles in shared memory."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from optigpu.light_dataclass import dataclass
from optigpu.schedules.contraction_tools import (
    VECTOR,
    accesses,
    can_share,
    filling,
    inline_constants,
    is_along,
    is_divided,
    last_size,
    make_fast_path,
    number_bound,
    resident_blocks,
    thread_shares,
)
from optigpu.schedules.quotients import bind_quotients
from optigpu.schedules.required_names import require_positive, require_product
from optigpu.script.targets import For, Target, Write
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Expr, Var
from optigpu.syntax.program import If
from optigpu.syntax.tensor_nests import COLS, DEPTH, GROUPS, LANES
from optigpu.transform.gpu.memory_spaces import pad
from optigpu.transform.loop.loop_targets import loop_at
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.c_text import as_expression
from optigpu.transform.tools.simplified import conjunction


@dataclass(frozen=True)
class WarpTile:
    """Rows, columns and summands of a block, and rows and columns of a warp."""

    rows: int
    cols: int
    depth: int
    warp_rows: int
    warp_cols: int

    @property
    def threads(self) -> int:
        return self.rows // self.warp_rows * (self.cols // self.warp_cols) * GROUPS * LANES


@dataclass(frozen=True)
class StagedFactor:
    """A factor, its copy in shared memory, the registers that it is loaded into, the loop over its rows or columns, and how many of
    them a block has. `along`: are adjacent summands adjacent in memory, rather than adjacent rows or columns? `size`: of its last
    dimension, if vector accesses are wanted."""

    array: str
    copy: str
    loaded: str
    loop: str
    extent: int
    along: bool
    size: Expr | None


@transformation
def tensor_contraction(
    s: TransformSession,
    *,
    rows: str,
    cols: str,
    inner: str,
    left: str,
    right: str,
    out: str,
    grid: Sequence[str] = (),
    taps: Sequence[str] = (),
    total: str = "sum",
    tile: tuple[int, int, int] = (128, 128, 16),
    warp: tuple[int, int] = (64, 32),
    vector: Sequence[str] = (),
    precision: str = "tf32x3",
    resident: int | None = None,
    skip: Sequence[str] = (),
    name: str = "",
) -> None:
    """The same kernel as `contraction` makes, on tensor cores. `warp`: rows and columns of the tile of a warp. `precision`: see
    `gpu.tensor_cores`. `resident`: for how many blocks on a multiprocessor registers are allotted; by default as many as leave a
    register for each sum. `skip`: conditions on the loops of blocks without which all summands are zero. `name`: a prefix of the
    names of new arrays, for programs with several such kernels.

    While a block uses the tiles of a chunk, its threads load those of the next one into registers.

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
    Step: schedules.tensor_contraction(s, rows="i", cols="j", inner="k", left="a", right="b", out="c")
    After: a kernel whose blocks compute 128 x 128 elements of `c`, a warp 64 x 32 of them by products of 16 x 8 x 8.

    Needs: a nest of independent loops around one sum of products of floats, all of whose loops are named.
    Fails: when a tile is no multiple of the tile of a warp.
    """
    require_positive(tile=tile, warp=warp)
    w = WarpTile(*tile, *warp)
    inline_constants(s)
    others = [*grid, *taps]
    require_product(s, rows=rows, cols=cols, inner=inner, others=others, left=left, right=right, out=out, total=total)
    sizes = {a: last_size(s, a) for a in vector}
    factors = (
        StagedFactor(left, name + "ls", name + "ln", rows, w.rows, is_along(s, left, inner, rows), sizes.get(left)),
        StagedFactor(right, name + "rs", name + "rn", cols, w.cols, is_along(s, right, inner, cols), sizes.get(right)),
    )
    p = ProductNest(rows, cols, inner, out, total, [*grid, "br", "bc"], taps)
    _in_chunks(s, p, w)
    if skip:
        path, loop = loop_at(s, "chunk")
        s.put(path, If(conjunction([as_expression(text) for text in skip]), (loop,)))
    copies = _staged(s, p, w, factors)
    _divide_among_warps(s, w, p)
    stored = s.loop.fast_path(For(cols, body=Write(out)), when=is_divided(sizes[out], COLS)) if out in sizes else None
    s.loop.unroll_hint(For("ks", body=Write(total)))
    _launched(s, p, factors, copies, resident or resident_blocks(w.rows, w.cols))
    if stored is not None:
        s.gpu.vectorize(stored)
    s.gpu.tensor_cores(For(inner, body=Write(total)), precision)


@dataclass(frozen=True)
class ProductNest:
    """The loops of a sum of products, what it sums up in and what gets the sums. `blocks`: its grid loops."""

    rows: str
    cols: str
    inner: str
    out: str
    total: str
    blocks: Sequence[str]
    taps: Sequence[str]

    @property
    def threads(self) -> list[str]:
        """The loops over warps, and over the threads of a warp."""
        return ["wr", "wc", self.rows, "tc"]

    @property
    def at(self) -> Target:
        """Where the tiles of a chunk are used."""
        return For("chunk") / For(self.rows, body=Write(self.total))


def _in_chunks(s: TransformSession, p: ProductNest, w: WarpTile) -> None:
    """Divide the loops into blocks and chunks: one loop over all chunks of summands, so that the next one can be loaded early."""
    counts = [number_bound(s, loop) for loop in p.taps]
    chunk = "part" if p.taps else "chunk"
    for loop, outer, size in ((p.rows, "br", w.rows), (p.cols, "bc", w.cols), (p.inner, chunk, w.depth)):
        s.loop.tile(loop, size, outer=outer, tail="guard")
    s.loop.reorder(*p.blocks, p.rows, p.cols)
    s.loop.reorder(*p.blocks, chunk, *p.taps, p.rows, p.cols, p.inner)
    if p.taps:
        s.loop.collapse(chunk, levels=1 + len(p.taps), index="chunk", narrow=prod(counts) < w.depth)


def _staged(
    s: TransformSession, p: ProductNest, w: WarpTile, factors: tuple[StagedFactor, StagedFactor]
) -> list[SpreadCopy]:
    """Read the factors through registers and shared memory, of which two tiles take turns."""
    for x, other in (factors, reversed(factors)):
        summed = For("chunk") / Write(p.total)
        s.loop.hoist_expr(summed, x.loaded, read=x.array, before=p.at, indep=[other.loop], outside=0)
    s.loop.unguard(For(p.rows, body=Write(p.total)).all)
    for x in factors:
        s.matrix.stage(x.loaded, at=p.at, name=x.copy)
    copies = [_copied(s, x, p.inner, w) for x in factors]
    for x in factors:
        s.loop.prefetch(x.loaded, before=p.at, past_end=True)
    for x, c in zip(factors, copies):
        loads = For(c.threads[-1], body=Write(x.loaded))
        bind_quotients(s, loads.first)
        bind_quotients(s, loads.last)
    for x in factors:
        s.loop.prefetch(x.copy, buffers=2)
    return copies


def _launched(
    s: TransformSession,
    p: ProductNest,
    factors: tuple[StagedFactor, StagedFactor],
    copies: list[SpreadCopy],
    resident: int,
) -> None:
    """Launch the nest, with vector accesses where there are whole vectors."""
    s.gpu.launch(
        grid=p.blocks,
        block=[*p.threads, *(loop for c in copies for loop in c.threads)],
        shared={x.copy: pad(4 if x.along else 8) for x in factors},
        registers={p.total: 4, **{x.loaded: len(c.threads) for x, c in zip(factors, copies)}},
        blocks_per_multiprocessor=resident,
        barrier_at_end=["chunk"],
    )
    for x, c in zip(factors, copies):
        if c.vector is not None:
            for n in range(2):  # before the chunks, and for the next one; a loop that is converted is gone
                s.gpu.vectorize(For(c.vector, body=Write(x.loaded)).nth(n))
                s.gpu.vectorize(For(c.vector, body=Write(x.copy)).first)


def _divide_among_warps(s: TransformSession, w: WarpTile, p: ProductNest) -> None:
    """Divide the loops over the sums of a block: rows are 16 mr + 8 hr + row of a warp, columns 8 mc + 2 tc + column."""
    row_tiles = (("wr", w.warp_rows), ("mr", 16), ("hr", GROUPS))
    col_tiles = (("wc", w.warp_cols), ("mc", 8), ("tc", COLS))
    tiles = [(p.rows, *tile) for tile in row_tiles] + [(p.cols, *tile) for tile in col_tiles]
    for n, (loop, outer, size) in enumerate(tiles):
        s.loop.tile(For(loop, body=Write(p.total)), size, outer=outer, all=True)
        s.loop.tile(For(loop, body=Write(p.out)), size, outer=outer)
        s.matrix.split_dim(p.total, n + (loop == p.cols), size)  # at once: so two loops of step 16 are told apart
    s.loop.tile(For(p.inner, body=Write(p.total)), DEPTH, outer="ks")
    summed = For("chunk") / Write(p.total)
    s.loop.reorder(*p.threads, "ks", "mr", "mc", p.inner, "hr", p.cols, at=summed)
    for other in (Write(p.total).first, For(p.rows) / Write(p.out)):
        s.loop.reorder(*p.threads, "mr", "mc", "hr", p.cols, at=other)
    s.matrix.reorder_dims(p.total, [0, 4, 3, 6, 1, 5, 2, 7])


@dataclass(frozen=True)
class SpreadCopy:
    """The loops of a copy: those of threads, and the one of four adjacent elements, if there is one."""

    threads: list[str]
    vector: str | None


def _copied(s: TransformSession, x: StagedFactor, inner: str, w: WarpTile) -> SpreadCopy:
    """Lay out the copy of a factor, and distribute the two halves of copying, to registers and from there, among the threads."""
    slow, fast = (x.loop, inner) if x.along else (inner, x.loop)
    s.matrix.reorder_dims(x.copy, [_dims(s, x.copy).index(loop) for loop in (slow, fast)])
    prefix = x.copy + "_"
    for loop in (slow, fast):
        for array in (x.loaded, x.copy):
            s.loop.rename(filling(array, loop), prefix + loop)
    slow, fast = prefix + slow, prefix + fast
    extents = {prefix + x.loop: x.extent, prefix + inner: w.depth}
    vector = None
    if x.size is not None and can_share(w.threads, extents[fast] // VECTOR, extents[slow]):
        vector, fast = fast, fast + "_quad"
        _divided_copy(s, x, vector, VECTOR, fast)
        extents[fast] = extents[vector] // VECTOR
    shares = thread_shares([fast, slow], extents, w.threads, f"a tile of `{x.array}`")
    for loop, outer, size in shares.cuts:
        _divided_copy(s, x, loop, size, outer)
    threads = [*reversed(shares.threads)]
    order = [*threads, *shares.rest, *([vector] if vector else [])]
    for array in (x.loaded, x.copy):
        s.loop.reorder(*order, at=Write(array).first)
    s.matrix.reorder_dims(x.loaded, [_dims(s, x.loaded).index(loop) for loop in order])
    has_fast_path = make_fast_path(s, x.loaded, order, when=is_divided(x.size) if vector and x.size else None)
    return SpreadCopy(threads, vector if has_fast_path else None)


def _divided_copy(s: TransformSession, x: StagedFactor, loop: str, size: int, outer: str) -> None:
    """Divide a loop of a copy, and the dimension of the registers that it fills."""
    dim = _dims(s, x.loaded).index(loop)
    for array in (x.loaded, x.copy):
        s.loop.tile(filling(array, loop), size, outer=outer)
    s.matrix.split_dim(x.loaded, dim, size)


def _dims(s: TransformSession, array: str) -> list[str]:
    """The loop indices that an array is first accessed with, by dimension."""
    return [i.name for i in accesses(s, array)[0].indices if isinstance(i, Var)]
