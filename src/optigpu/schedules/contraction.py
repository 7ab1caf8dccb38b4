"""Sums of products, such as matrix products and convolutions: a block computes a tile of the result from tiles in shared memory."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.light_dataclass import dataclass
from optigpu.schedules.contraction_tools import (
    accesses,
    filling,
    inline_constants,
    is_along,
    is_divided,
    last_size,
    number_bound,
    thread_shares,
)
from optigpu.schedules.pipelined_contraction import BlockTile, Contraction, pipelined
from optigpu.schedules.quotients import bind_quotients
from optigpu.schedules.required_names import require_positive, require_product
from optigpu.script.handles import Handle
from optigpu.script.targets import For, Write
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Expr, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import If
from optigpu.transform.gpu.memory_spaces import pad
from optigpu.transform.loop.loop_targets import loop_at
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.c_text import as_expression
from optigpu.transform.tools.simplified import conjunction

HALF = 4  # adjacent rows, or columns, of a thread; it has two such groups of each


@dataclass(frozen=True)
class Tile:
    """How many rows and columns a block computes, and how many summands it stages at a time. A thread computes 8 x 8."""

    rows: int
    cols: int
    depth: int

    @property
    def threads(self) -> int:
        return self.rows * self.cols // (4 * HALF * HALF)


@dataclass(frozen=True)
class Factor:
    """A factor, the loops of its copy in shared memory, and how many elements of the tile are in a group of a thread's rows."""

    array: str
    copy: str
    loops: tuple[str, str, str, str]  # of the program: threads, halves, elements of a half, summands
    names: tuple[str, str, str, str]  # in the copy
    extents: tuple[int, int, int, int]
    along: bool  # are adjacent summands adjacent in memory, rather than adjacent rows or columns?
    size: Expr | None  # of the last dimension, if vector accesses are wanted


@transformation
def contraction(
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
    tile: tuple[int, int, int] = (64, 128, 16),
    each: tuple[int, int] = (8, 8),
    vector: Sequence[str] = (),
    skip: Sequence[str] = (),
    name: str = "",
    divided: bool = False,
) -> None:
    """A kernel of `out[rows][cols] = sum over taps and inner of left[rows] * right[cols]`, for any sizes.

    `grid`: the other loops of the result. `taps`: loops of the sum around `inner`, which is divided into chunks that are staged in
    shared memory, with zeros outside the arrays. `inside`: loops of the sum, of constant size, that are staged together with a
    chunk. `left` does not depend on `cols`, nor `right` on `rows`. `vector`: arrays that are accessed four elements at a time where
    the size of their last dimension is a multiple of 4. `skip`: conditions on the loops of blocks and taps, and on `chunk`, without
    which all summands are zero: they are tested once for a block.

    `tile`: rows and columns of a block, and summands of a chunk; `each`: rows and columns of a thread, 8 x 8 if the sum has `taps`
    or `inside`. Without these the next chunk is loaded while the present one is used, and `name` is a prefix of the names of new
    loops and arrays, for programs with several such kernels. `divided`: the contract, or the condition of the version, implies that
    the tile divides all sizes and that there is something to add up; then nothing is tested.

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
    Step: schedules.contraction(s, rows="i", cols="j", inner="k", left="a", right="b", out="c")
    After: a kernel whose blocks compute 64 x 128 elements of `c`, from tiles of 64 x 16 and 16 x 128 elements in shared memory, a
    thread 8 x 8 of them in registers.

    Needs: a nest of independent loops around one sum of products, all of whose loops are named.
    Fails: OG311 when `divided` tiles may not divide a size.
    """
    require_positive(tile=tile, each=each)
    inline_constants(s)
    others = [*grid, *taps, *inside]
    require_product(s, rows=rows, cols=cols, inner=inner, others=others, left=left, right=right, out=out, total=total)
    sizes = {a: last_size(s, a) for a in vector}
    along = is_along(s, left, inner, rows), is_along(s, right, inner, cols)
    c = Contraction(rows, cols, inner, left, right, out, grid, total, sizes, name, *along, divided)
    if taps or inside or skip:
        _chunk_by_chunk(s, c, Tile(*tile), taps, inside, [as_expression(text) for text in skip])
    else:
        pipelined(s, c, BlockTile(*tile, each))


def _chunk_by_chunk(
    s: TransformSession, c: Contraction, t: Tile, taps: Sequence[str], inside: Sequence[str], skip: Sequence[Expr]
) -> None:
    """Stage a chunk of the factors, with the loops `inside`, then compute with it."""
    for loop in inside:
        number_bound(s, loop)
    rows, cols, inner, sizes = c.rows, c.cols, c.inner, c.sizes
    f = _factor(s, c.left, "ls", ("tr", "hr", rows, inner), (t.rows // 8, 2, HALF, t.depth), sizes)
    g = _factor(s, c.right, "rs", ("tc", "hc", cols, inner), (t.cols // 8, 2, HALF, t.depth), sizes)
    blocks = [*c.grid, "br", "bc"]
    _tiled(s, rows, "br", "hr", "tr", t.rows)
    _tiled(s, cols, "bc", "hc", "tc", t.cols)
    s.loop.tile(inner, t.depth, outer="chunk", tail="guard")
    s.loop.reorder(*blocks, "tr", "tc", "hr", rows, "hc", cols)
    s.loop.reorder(*blocks, *taps, "chunk", "tr", "tc", *inside, inner, "hr", rows, "hc", cols)
    _skip_zeros(s, c.total, taps, skip)
    _stage(s, f, g, c.total)
    (threads, whole), (more, whole_too) = _copied(s, t, f, inside), _copied(s, t, g, inside)
    for array, loops in ((f.copy, threads), (g.copy, more)):
        bind_quotients(s, filling(array, loops[0]))
    stored = s.loop.fast_path(For(cols, body=Write(c.out)), when=is_divided(sizes[c.out])) if c.out in sizes else None
    for loop in (*inside, inner):
        s.loop.unroll_hint(For(loop, body=Write(c.total)))
    shared = {x.copy: pad(1, 0) if x.along else None for x in (f, g)}
    resident = 2 if t.threads == 256 else None
    block = ["tr", "tc", *threads, *more]
    s.gpu.launch(grid=blocks, block=block, shared=shared, registers={c.total: 2}, blocks_per_multiprocessor=resident)
    _vectorized(s, ((f, whole), (g, whole_too)), stored, rows, cols)


def _vectorized(
    s: TransformSession,
    copies: Sequence[tuple[Factor, Handle | None]],
    stored: Handle | None,
    rows: str,
    cols: str,
) -> None:
    """Access four elements at a time: of the factors and of the result where they are aligned, and of the copies."""
    for x, whole_loop in copies:
        if whole_loop is not None:
            s.gpu.vectorize(whole_loop, arrays=["d_" + x.array] if x.along else None)
    if stored is not None:
        s.gpu.vectorize(stored)
    s.gpu.vectorize(For(rows, body=Write("lv")))
    s.gpu.vectorize(For(cols, body=Write("rv")))


def _factor(
    s: TransformSession,
    array: str,
    copy: str,
    loops: tuple[str, str, str, str],
    extents: tuple[int, int, int, int],
    sizes: dict[str, Expr],
) -> Factor:
    first = copy[0]
    names = (f"{first}t", f"{first}h", f"{first}e", f"{first}k")
    along = is_along(s, array, loops[3], loops[2])
    return Factor(array, copy, loops, names, extents, along, sizes.get(array))


def _skip_zeros(s: TransformSession, total: str, taps: Sequence[str], tests: Sequence[Expr]) -> None:
    """Test each condition as far outside as the loops of taps that it speaks of allow, or once for a chunk."""
    inner = [*taps, "chunk"]
    levels = [max((n for n, loop in enumerate(inner, 1) if loop in free_vars(e)), default=0) for e in tests]
    for level in sorted({*levels}, reverse=True):
        whole = For("chunk") / For("tr", body=Write(total))
        path, loop = loop_at(s, For(inner[level], body=Write(total)) if level < len(inner) else whole)
        s.put(path, If(conjunction([e for e, own in zip(tests, levels) if own == level]), (loop,)))


def _stage(s: TransformSession, f: Factor, g: Factor, total: str) -> None:
    """Read the factors through shared memory, and from there through registers."""
    at, summed = For("tr", body=Write(total)), For("chunk") / Write(total)
    for x, other in ((f, g), (g, f)):
        s.loop.hoist_expr(
            summed, x.copy, read=x.array, before=For("chunk") / at, indep=list(other.loops[:3]), outside=0
        )
    s.loop.unguard(at.all)
    for x, name in ((f, "lv"), (g, "rv")):
        s.matrix.stage(x.copy, at=For(x.loops[3], body=Write(total)) / For("hr", body=Write(total)), name=name)


def _tiled(s: TransformSession, loop: str, block: str, half: str, thread: str, size: int) -> None:
    s.loop.tile(loop, size, outer=block, tail="guard")
    s.loop.tile(loop, size // 2, outer=half)
    s.loop.tile(loop, HALF, outer=thread)


def _copied(s: TransformSession, t: Tile, x: Factor, inside: Sequence[str]) -> tuple[list[str], Handle | None]:
    """Distribute the copy of a factor among the threads. Returns its thread loops, and the loop of its vector accesses."""
    _reorder_dims(s, x.copy, [*inside, x.loops[3], x.loops[1], x.loops[0], x.loops[2]])
    outer = [f"{x.copy[0]}_{loop}" for loop in inside]
    for loop, name in zip((*x.loops, *inside), (*x.names, *outer)):
        s.loop.rename(filling(x.copy, loop), name)
    extents = dict(zip(x.names, x.extents))
    threads, halves, elements, summands = x.names
    if x.size is None:
        order = [summands, threads, halves, elements] if x.along else [elements, threads, halves, summands]
        return _spread(s, x.copy, t, order, extents, outer), None
    if not x.along:
        spread = _spread(s, x.copy, t, [threads, halves, summands], extents, outer, elements)
        return spread, s.loop.fast_path(filling(x.copy, elements), when=is_divided(x.size))
    groups = summands + "q"
    s.loop.tile(filling(x.copy, summands), HALF, outer=groups)
    extents[groups] = extents[summands] // HALF
    spread = _spread(s, x.copy, t, [groups, elements, threads, halves], extents, outer, summands)
    return spread, s.loop.fast_path(filling(x.copy, summands), when=is_divided(x.size))


def _spread(
    s: TransformSession,
    array: str,
    t: Tile,
    order: Sequence[str],
    extents: dict[str, int],
    outer: Sequence[str],
    last: str | None = None,
) -> list[str]:
    """Take loops as thread loops, the fastest first, until there are enough threads; a loop may be divided."""
    shares = thread_shares(order, extents, t.threads, f"a tile {t.rows} x {t.cols} x {t.depth}")
    for loop, rest, size in shares.cuts:
        s.loop.tile(filling(array, loop), size, outer=rest)
    nest = [*reversed(shares.threads), *outer, *shares.rest, *([last] if last else [])]
    s.loop.reorder(*nest, at=Write(array).first)
    return shares.threads


def _reorder_dims(s: TransformSession, array: str, wanted: Sequence[str]) -> None:
    """Put the dimensions of a staged array in the order of the loop indices that it is read with."""
    names = [i.name for i in accesses(s, array)[0].indices if isinstance(i, Var)]
    s.matrix.reorder_dims(array, [names.index(w) for w in wanted])
