"""Products of matrices: while a block computes with one chunk of the factors, it loads the next one.

Two tiles of each factor in shared memory take turns, so there is one barrier for each chunk. The loads of a chunk go to registers
before the computation, and from there to shared memory after it.
"""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.light_dataclass import dataclass, replace
from optigpu.schedules.contraction_tools import (
    VECTOR,
    blocks_by_registers,
    filling,
    is_divided,
    make_fast_path,
    thread_shares,
)
from optigpu.schedules.new_names import unused_prefix
from optigpu.script.handles import Handle
from optigpu.script.targets import For, Target, Write
from optigpu.syntax.exprs import Expr, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.polynomials import constant_polynomial
from optigpu.syntax.program import If
from optigpu.syntax.substitution import substitute, substitute_body
from optigpu.transform.gpu.memory_spaces import pad
from optigpu.transform.loop.loop_targets import loop_at
from optigpu.transform.matrix.array_accesses import accesses_of
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.counted_loops import counts_up_by_one
from optigpu.transform.tools.declared_types import array_of
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import (
    collect_terms,
    conjunction,
    flattened_sums,
    less,
    lit,
    minus,
    plus,
    polynomial,
    up_to,
)

WARP_ROWS, WARP_COLS = 4, 8  # how the threads of a warp are arranged


@dataclass(frozen=True)
class Contraction:
    """`out[rows][cols] = sum over inner of left[rows] * right[cols]`. `sizes`: the last sizes of arrays with vector accesses."""

    rows: str
    cols: str
    inner: str
    left: str
    right: str
    out: str
    grid: Sequence[str]
    total: str
    sizes: dict[str, Expr]
    prefix: str  # of the names of new loops and arrays
    left_along: bool  # are adjacent summands adjacent in memory, rather than adjacent rows?
    right_along: bool
    divided: bool = False  # are all tiles whole, and is there at least one chunk? Then nothing is tested

    @property
    def chunk(self) -> str:
        return self.prefix + "chunk"

    @property
    def factors(self) -> tuple[str, str]:
        """In the registers of a thread."""
        return self.prefix + "left", self.prefix + "right"


@dataclass(frozen=True)
class BlockTile:
    """What a block computes, how many summands it stages at a time, and how many rows and columns each thread has."""

    rows: int
    cols: int
    depth: int
    each: tuple[int, int]

    @property
    def threads(self) -> int:
        return self.rows * self.cols // (self.each[0] * self.each[1])

    @property
    def loaded(self) -> int:
        """How many elements of a chunk each thread loads."""
        return (self.rows + self.cols) * self.depth // self.threads


@dataclass(frozen=True)
class TileSide:
    """The rows, or the columns: one loop becomes blocks, groups, warps, lanes and elements; and the factor that depends on it."""

    loop: str
    array: str
    along: bool
    size: Expr | None
    prefix: str
    letter: str
    tile: int
    each: int
    lanes: int  # of a warp in this direction

    @property
    def block(self) -> str:
        return f"{self.prefix}b{self.letter}"

    @property
    def group(self) -> str:
        return f"{self.prefix}h{self.letter}"

    @property
    def warp(self) -> str:
        return f"{self.prefix}w{self.letter}"

    @property
    def lane(self) -> str:
        return f"{self.prefix}t{self.letter}"

    @property
    def extents(self) -> dict[str, int]:
        """Of the loops in the copies of the factor, by the last letter of their names."""
        threads = self.tile // self.each
        return {"h": self.each // VECTOR, "w": threads // self.lanes, "t": self.lanes, "e": VECTOR}

    @property
    def next(self) -> str:
        return f"{self.prefix}next_{self.letter}"

    @property
    def shared(self) -> str:
        return f"{self.prefix}shared_{self.letter}"

    def copy_loop(self, letter: str) -> str:
        return f"{self.prefix}{self.letter}{letter}"


NAMES = (
    "chunk", "left", "right", "next_r", "next_c", "shared_r", "shared_c",
    *(x + side for x in "bhwt" for side in "rc"), *(side + x for side in "rc" for x in "wtkheqo"),
)  # fmt: skip  # of a kernel without a prefix, all of them


def pipelined(s: TransformSession, c: Contraction, t: BlockTile) -> None:
    """Make the kernel of a contraction without further loops of the sum."""
    c = replace(c, prefix=unused_prefix(s, For(c.rows), c.prefix, NAMES))
    rows = TileSide(c.rows, c.left, c.left_along, c.sizes.get(c.left), c.prefix, "r", t.rows, t.each[0], WARP_ROWS)
    cols = TileSide(c.cols, c.right, c.right_along, c.sizes.get(c.right), c.prefix, "c", t.cols, t.each[1], WARP_COLS)
    blocks = [*c.grid, rows.block, cols.block]
    threads = [rows.warp, cols.warp, rows.lane, cols.lane]
    each = [rows.group, c.rows, cols.group, c.cols]
    for side in (rows, cols):
        s.loop.tile(side.loop, side.tile, outer=side.block, tail="divides" if c.divided else "guard")
    whole = not c.divided and _widened(s, c, rows, cols, t.depth)
    for side in (rows, cols):
        _tiled(s, side)
    s.loop.tile(c.inner, t.depth, outer=c.chunk, tail="divides" if c.divided or whole else "guard")
    s.loop.reorder(*blocks, *threads, *each)
    s.loop.reorder(*blocks, c.chunk, *threads, c.inner, *each)
    compute = For(c.chunk) / For(rows.warp, body=Write(c.total))
    _stage(s, c, rows, cols, compute)
    spread = [_copied(s, t, side, c) for side in (rows, cols)]
    stored = _stored(s, c)
    for side in (rows, cols):
        s.loop.prefetch(side.next, before=compute, past_end=not c.divided)
    for side in (rows, cols):
        s.loop.prefetch(side.shared, buffers=2)
    s.loop.unroll_hint(For(c.inner, body=Write(c.total)))
    s.gpu.launch(
        grid=blocks,
        block=[*threads, *(loop for names, _ in spread for loop in names)],
        shared={side.shared: pad(1, 0) if side.along else None for side in (rows, cols)},
        registers={c.total: 4, **{side.next: len(names) for side, (names, _) in zip((rows, cols), spread)}},
        blocks_per_multiprocessor=blocks_by_registers(t.threads, t.each, t.loaded),
        barrier_at_end=[c.chunk],
    )
    for side, (_, vector) in zip((rows, cols), spread):
        if vector is not None:
            # before the loop over chunks and in it; a loop that is converted is gone, the one for the rest of the array is not
            for n in (0, 0) if c.divided else (0, 1):
                s.gpu.vectorize(For(vector, body=Write(side.next)).nth(n))
        if vector is not None and not side.along:
            for _ in (0, 1):
                s.gpu.vectorize(For(vector, body=Write(side.shared)).first)
    if stored is not None:
        s.gpu.vectorize(stored)
    for side, name in zip((rows, cols), c.factors):
        s.gpu.vectorize(For(side.loop, body=Write(name)))


def _stored(s: TransformSession, c: Contraction) -> Handle | None:
    """The loop that writes four adjacent results, if vector accesses are wanted: tested once for all of them."""
    if c.out not in c.sizes:
        return None
    loop = For(c.cols, body=Write(c.out))
    return s.handle(s.find(loop)) if c.divided else s.loop.fast_path(loop, when=is_divided(c.sizes[c.out]))


def _widened(s: TransformSession, c: Contraction, rows: TileSide, cols: TileSide, depth: int) -> bool:
    """Let a sum whose bounds depend on the row or the column, as of triangular matrices, have one range for all of a block. What is
    added to the sum is zero, or the step is rejected. Returns whether the chunks divide the range."""
    path, loop = loop_at(s, c.inner)
    if not {c.rows, c.cols} & (free_vars(loop.range.start) | free_vars(loop.range.bound)):
        return False
    if not counts_up_by_one(loop):
        raise refuse("the sum does not count up by one to a bound", loop)
    start, end = loop.range.start, loop.range.bound
    for side in (rows, cols):
        start, end = _extreme(start, side, -1), _extreme(end, side, 1)
    sizes = [
        size
        for side in (rows, cols)
        for access in accesses_of(loop, side.array)
        for index, size in zip(access.indices, array_of(s, path, side.array).dims)
        if index == Var(c.inner) and size is not None
    ]
    guards = [less(Var(c.inner), size) for size in dict.fromkeys(sizes)]
    body = (If(conjunction(guards), loop.body),) if guards else loop.body
    count = collect_terms(minus(end, start))
    moved = flattened_sums(substitute_body(body, {c.inner: plus(start, Var(c.inner))}))
    s.put(path, up_to(c.inner, count, moved, like=loop))
    return polynomial(count).divided(constant_polynomial(depth)) is not None


def _extreme(e: Expr, side: TileSide, sign: int) -> Expr:
    """The least value (sign -1) or the greatest one (sign 1) of a bound among the rows or columns of a block."""
    ends = [collect_terms(substitute(e, {side.loop: lit(n)})) for n in (0, side.tile - 1)]
    growth = (polynomial(ends[1]) - polynomial(ends[0])).constant
    if growth is None:
        raise refuse(f"a bound of the sum is no multiple of `{side.loop}` and a rest", code="OG603")
    return ends[growth * sign > 0]


def _tiled(s: TransformSession, side: TileSide) -> None:
    x = side.extents
    s.loop.tile(side.loop, x["w"] * x["t"] * VECTOR, outer=side.group)
    s.loop.tile(side.loop, x["t"] * VECTOR, outer=side.warp)
    s.loop.tile(side.loop, VECTOR, outer=side.lane)


def _stage(s: TransformSession, c: Contraction, rows: TileSide, cols: TileSide, compute: Target) -> None:
    """Read the factors through registers and shared memory, and from there through the registers of the computation."""
    summed = For(c.chunk) / Write(c.total)
    for side, other in ((rows, cols), (cols, rows)):
        others = [other.warp, other.lane, other.group, other.loop]
        s.loop.hoist_expr(
            summed, side.next, read=side.array, before=compute, indep=others, outside=None if c.divided else 0
        )
    if not c.divided:
        s.loop.unguard(For(rows.warp, body=Write(c.total)).all)
    for side in (rows, cols):
        s.matrix.stage(side.next, at=compute, name=side.shared)
    inside = For(c.inner, body=Write(c.total)) / For(rows.group, body=Write(c.total))
    for side, name in zip((rows, cols), c.factors):
        s.matrix.stage(side.shared, at=inside, name=name)


def _copied(s: TransformSession, t: BlockTile, side: TileSide, c: Contraction) -> tuple[list[str], str | None]:
    """Distribute the copies of a factor among the threads: into registers, and from there to shared memory. Returns the thread
    loops, and the loop of vector accesses."""
    # the copies have the dimensions warp, lane, summand, group, element
    s.matrix.reorder_dims(side.shared, [2, 3, 0, 1, 4])
    s.matrix.merge_dims(side.shared, 1, 3)
    extents = {**side.extents, "k": t.depth}
    loops = dict(zip("wtkhe", (side.warp, side.lane, c.inner, side.group, side.loop)))
    dims = list("wtkhe")
    for array in (side.next, side.shared):
        for letter, loop in loops.items():
            s.loop.rename(filling(array, loop), side.copy_loop(letter))
    vector = side.size is not None
    cuts: list[tuple[str, str, int]] = []  # as in ThreadShares
    if side.along and vector:
        cuts.append(("k", "q", VECTOR))
        extents |= {"q": t.depth // VECTOR}
        order, last = ["q", "e", "t", "w", "h"], ["k"]
        if extents["q"] > 2:
            cuts.append(("q", "o", 2))
            extents |= {"q": 2, "o": t.depth // VECTOR // 2}
            order.append("o")
    elif side.along:
        order, last = ["k", "e", "t", "w", "h"], []
    elif vector:
        order, last = ["t", "w", "h", "k"], ["e"]
    else:
        order, last = ["e", "t", "w", "h", "k"], []
    shares = thread_shares(order, extents, t.threads, f"a tile {t.rows} x {t.cols} x {t.depth}")
    cuts += shares.cuts
    for letter, outer, size in cuts:
        for array in (side.next, side.shared):
            s.loop.tile(filling(array, side.copy_loop(letter)), size, outer=side.copy_loop(outer))
        at = dims.index(letter)
        s.matrix.split_dim(side.next, at, size)
        dims[at:at] = [outer]
    nest = [*reversed(shares.threads), *shares.rest, *last]
    for array in (side.next, side.shared):
        s.loop.reorder(*map(side.copy_loop, nest), at=Write(array).first)
    s.matrix.reorder_dims(side.next, [dims.index(letter) for letter in nest])
    order = [side.copy_loop(x) for x in nest]
    if not c.divided and not make_fast_path(s, side.next, order, when=is_divided(side.size) if side.size else None):
        last = []  # the copy is one by one
    return [side.copy_loop(x) for x in shares.threads], side.copy_loop(last[0]) if last else None
