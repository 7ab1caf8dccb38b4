"""Sums of products on tensor cores: a warp computes tiles of 16 x 8 from tiles in shared memory."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from optigpu.light_dataclass import dataclass
from optigpu.schedules.contraction import (
    _accesses,
    _divided,
    _inline_constants,
    _is_along,
    _last_size,
    _number_bound,
    _skip,
)
from optigpu.script.handles import Handle
from optigpu.script.targets import For, Target, Write
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Expr, Var
from optigpu.syntax.tensor_nests import COLS, DEPTH, GROUPS, LANES, ROWS
from optigpu.transform.gpu.memory_spaces import pad
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.c_text import as_expression
from optigpu.transform.tools.refusal import refuse

VECTOR = 4  # floats of an access


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
    """A factor and its copy in shared memory: the loop over its rows or columns, and how many of them a block has. `along`: are
    adjacent summands adjacent in memory, rather than adjacent rows or columns? `size`: of its last dimension, if vector accesses
    are wanted."""

    array: str
    copy: str
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
    inside: Sequence[str] = (),
    total: str = "sum",
    tile: tuple[int, int, int] = (128, 128, 16),
    warp: tuple[int, int] = (64, 32),
    vector: Sequence[str] = (),
    skip: Sequence[str] = (),
    precision: str = "tf32x3",
) -> None:
    """The same kernel as `contraction` makes, on tensor cores. `warp`: rows and columns of the tile of a warp. `precision`: see
    `gpu.tensor_cores`."""
    w = WarpTile(*tile, *warp)
    _inline_constants(s)
    for loop in inside:
        _number_bound(s, loop)
    sizes = {a: _last_size(s, a) for a in vector}
    f = StagedFactor(left, "ls", rows, w.rows, _is_along(s, left, inner, rows), sizes.get(left))
    g = StagedFactor(right, "rs", cols, w.cols, _is_along(s, right, inner, cols), sizes.get(right))
    blocks = [*grid, "br", "bc"]
    for loop, outer, size in ((rows, "br", w.rows), (cols, "bc", w.cols), (inner, "chunk", w.depth)):
        s.loop.tile(loop, size, outer=outer, tail="guard")
    s.loop.reorder(*blocks, rows, cols)
    s.loop.reorder(*blocks, *taps, "chunk", rows, cols, *inside, inner)
    _skip(s, total, [as_expression(text) for text in skip], rows)
    at, summed = For(rows, body=Write(total)), For("chunk") / Write(total)
    for x, other in ((f, g), (g, f)):
        s.loop.hoist_expr(summed, x.copy, read=x.array, before=For("chunk") / at, indep=[other.loop], outside=0)
    s.loop.unguard(at.all)
    copies = [_copied(s, x, inner, w, inside) for x in (f, g)]
    _divide_among_warps(s, w, rows, cols, inner, inside, total, out)
    stored = s.loop.fast_path(For(cols, body=Write(out)), when=_divided(sizes[out], COLS)) if out in sizes else None
    for loop in (*inside, "ks"):
        s.loop.unroll_hint(For(loop, body=Write(total)))
    shared = {x.copy: pad(4 if x.along else 8) for x in (f, g)}
    block = [*_threads(rows), *copies[0].threads, *copies[1].threads]
    s.gpu.launch(grid=blocks, block=block, shared=shared, registers={total: 4})
    for c in copies:
        if c.whole is not None:
            s.gpu.vectorize(c.whole)
    if stored is not None:
        s.gpu.vectorize(stored)
    s.gpu.tensor_cores(For(inner, body=Write(total)), precision)


def _threads(rows: str) -> list[str]:
    """The loops over warps, and over the threads of a warp."""
    return ["wr", "wc", rows, "tc"]


def _divide_among_warps(
    s: TransformSession, w: WarpTile, rows: str, cols: str, inner: str, inside: Sequence[str], total: str, out: str
) -> None:
    """Divide the loops over the sums of a block: rows are 16 mr + 8 hr + row of a warp, columns 8 mc + 2 tc + column."""
    row_tiles = (("wr", w.warp_rows), ("mr", 16), ("hr", GROUPS))
    col_tiles = (("wc", w.warp_cols), ("mc", 8), ("tc", COLS))
    for loop, tiles in ((rows, row_tiles), (cols, col_tiles)):
        for outer, size in tiles:
            s.loop.tile(For(loop, body=Write(total)), size, outer=outer, all=True)
            s.loop.tile(For(loop, body=Write(out)), size, outer=outer)
    s.loop.tile(For(inner, body=Write(total)), DEPTH, outer="ks")
    summed = For("chunk") / Write(total)
    s.loop.reorder(*_threads(rows), *inside, "ks", "mr", "mc", inner, "hr", cols, at=summed)
    for other in (Write(total).first, Write(out)):
        s.loop.reorder(*_threads(rows), "mr", "mc", "hr", cols, at=other)
    for dim, (_, size) in enumerate(col_tiles, 1):
        s.matrix.split_dim(total, dim, size)
    for dim, (_, size) in enumerate(row_tiles):
        s.matrix.split_dim(total, dim, size)
    s.matrix.reorder_dims(total, [0, 4, 3, 6, 1, 5, 2, 7])


@dataclass(frozen=True)
class SpreadCopy:
    threads: list[str]  # its thread loops
    whole: Handle | None  # the loop of its vector accesses


def _copied(s: TransformSession, x: StagedFactor, inner: str, w: WarpTile, inside: Sequence[str]) -> SpreadCopy:
    """Lay out the copy of a factor, and distribute the copying among the threads."""
    slow, fast = (x.loop, inner) if x.along else (inner, x.loop)
    names = [i.name for i in _accesses(s, x.copy)[0].indices if isinstance(i, Var)]
    s.matrix.reorder_dims(x.copy, [names.index(loop) for loop in (*inside, slow, fast)])
    prefix = x.copy[0] + "_"
    for loop in (*inside, slow, fast):
        s.loop.rename(_copy(x.copy, loop), prefix + loop)
    slow, fast = prefix + slow, prefix + fast
    extents = {prefix + x.loop: x.extent, prefix + inner: w.depth}
    last = None
    if x.size is not None:
        last, fast = fast, fast + "_quad"
        s.loop.tile(_copy(x.copy, last), VECTOR, outer=fast)
        extents[fast] = extents[last] // VECTOR
    spread = _spread(s, x.copy, w.threads, [fast, slow], extents, [prefix + loop for loop in inside], last)
    whole = s.loop.fast_path(_copy(x.copy, last), when=_divided(x.size)) if x.size is not None and last else None
    return SpreadCopy(spread, whole)


def _spread(
    s: TransformSession,
    array: str,
    threads: int,
    fastest: Sequence[str],
    extents: dict[str, int],
    outer: Sequence[str],
    last: str | None,
) -> list[str]:
    """Take loops as thread loops, the fastest first, until there are enough threads; a loop may be divided."""
    taken_loops: list[str] = []
    rest: list[str] = []
    missing = threads
    for loop in fastest:
        taken = gcd(extents[loop], missing)
        if taken == 1:
            rest.append(loop)
            continue
        if taken < extents[loop]:
            rest.append(loop + "_rest")
            s.loop.tile(_copy(array, loop), taken, outer=rest[-1])
        taken_loops.append(loop)
        missing //= taken
    if missing > 1:
        raise refuse(f"{threads} threads cannot share the copy of a tile", code="OG604")
    s.loop.reorder(
        *reversed(taken_loops), *outer, *reversed(rest), *([last] if last else []), at=Write(array).first
    )
    return taken_loops


def _copy(array: str, loop: str) -> Target:
    return For(loop, body=Write(array).first)
