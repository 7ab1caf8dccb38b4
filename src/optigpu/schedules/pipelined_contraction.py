"""Products of matrices: while a block computes with one chunk of the factors, it loads the next one.

Two tiles of each factor in shared memory take turns, so there is one barrier for each chunk. The loads of a chunk go to registers
before the computation, and from there to shared memory after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from optigpu.light_dataclass import dataclass
from optigpu.script.targets import For, Target, Write
from optigpu.syntax.exprs import Binary, Expr, Int
from optigpu.transform.gpu.memory_spaces import pad
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.refusal import refuse

VECTOR = 4  # elements of one access
WARP_ROWS, WARP_COLS = 4, 8  # how the threads of a warp are arranged
REGISTERS = 1 << 16  # of a multiprocessor


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
    left_along: bool  # are adjacent summands adjacent in memory, rather than adjacent rows?
    right_along: bool


@dataclass(frozen=True)
class Block:
    """What a block computes, how many summands it stages at a time, and how many rows and columns each thread has."""

    rows: int
    cols: int
    depth: int
    each: tuple[int, int]

    @property
    def threads(self) -> int:
        return self.rows * self.cols // (self.each[0] * self.each[1])

    @property
    def resident(self) -> int:
        """How many blocks a multiprocessor has registers for: sums, and as many for all else."""
        return max(1, REGISTERS // (2 * self.rows * self.cols))


@dataclass(frozen=True)
class Side:
    """The rows, or the columns: one loop becomes blocks, groups, warps, lanes and elements; and the factor that depends on it."""

    loop: str
    array: str
    along: bool
    size: Expr | None
    letter: str
    tile: int
    each: int
    lanes: int  # of a warp in this direction

    @property
    def block(self) -> str:
        return "b" + self.letter

    @property
    def group(self) -> str:
        return "h" + self.letter

    @property
    def warp(self) -> str:
        return "w" + self.letter

    @property
    def lane(self) -> str:
        return "t" + self.letter

    @property
    def extents(self) -> dict[str, int]:
        """Of the loops in the copies of the factor, by the last letter of their names."""
        threads = self.tile // self.each
        return {"h": self.each // VECTOR, "w": threads // self.lanes, "t": self.lanes, "e": VECTOR}

    @property
    def next(self) -> str:
        return "next_" + self.letter

    @property
    def shared(self) -> str:
        return "shared_" + self.letter

    def copy_loop(self, letter: str) -> str:
        return f"{self.letter}{letter}"


def pipelined(s: TransformSession, c: Contraction, t: Block) -> None:
    rows = Side(c.rows, c.left, c.left_along, c.sizes.get(c.left), "r", t.rows, t.each[0], WARP_ROWS)
    cols = Side(c.cols, c.right, c.right_along, c.sizes.get(c.right), "c", t.cols, t.each[1], WARP_COLS)
    blocks = [*c.grid, rows.block, cols.block]
    threads = [rows.warp, cols.warp, rows.lane, cols.lane]
    each = [rows.group, c.rows, cols.group, c.cols]
    _tiled(s, rows)
    _tiled(s, cols)
    s.loop.tile(c.inner, t.depth, outer="chunk", tail="guard")
    s.loop.reorder(*blocks, *threads, *each)
    s.loop.reorder(*blocks, "chunk", *threads, c.inner, *each)
    compute = For("chunk") / For(rows.warp, body=Write(c.total))
    _stage(s, c, rows, cols, compute)
    spread = [_copied(s, t, side, c) for side in (rows, cols)]
    stored = (
        s.loop.fast_path(For(c.cols, body=Write(c.out)), when=_divided(c.sizes[c.out])) if c.out in c.sizes else None
    )
    for side in (rows, cols):
        s.loop.prefetch(side.next, before=compute, past_end=True)
    for side in (rows, cols):
        s.loop.prefetch(side.shared, buffers=2)
    s.loop.unroll_hint(For(c.inner, body=Write(c.total)))
    s.gpu.launch(
        grid=blocks,
        block=[*threads, *(loop for names, _ in spread for loop in names)],
        shared={side.shared: pad(1, 0) if side.along else None for side in (rows, cols)},
        registers={c.total: 4, **{side.next: len(names) for side, (names, _) in zip((rows, cols), spread)}},
        blocks_per_multiprocessor=t.resident,
        barrier_at_end=["chunk"],
    )
    for side, (_, vector) in zip((rows, cols), spread):
        if vector is not None:
            for n in (0, 1):  # before the loop over chunks and in it; a loop that is converted is gone
                s.gpu.vectorize(For(vector, body=Write(side.next)).nth(n))
        if vector is not None and not side.along:
            for _ in (0, 1):
                s.gpu.vectorize(For(vector, body=Write(side.shared)).first)
    if stored is not None:
        s.gpu.vectorize(stored)
    s.gpu.vectorize(For(c.rows, body=Write("left")))
    s.gpu.vectorize(For(c.cols, body=Write("right")))


def _tiled(s: TransformSession, side: Side) -> None:
    x = side.extents
    s.loop.tile(side.loop, side.tile, outer=side.block, tail="guard")
    s.loop.tile(side.loop, x["w"] * x["t"] * VECTOR, outer=side.group)
    s.loop.tile(side.loop, x["t"] * VECTOR, outer=side.warp)
    s.loop.tile(side.loop, VECTOR, outer=side.lane)


def _stage(s: TransformSession, c: Contraction, rows: Side, cols: Side, compute: Target) -> None:
    """Read the factors through registers and shared memory, and from there through the registers of the computation."""
    summed = For("chunk") / Write(c.total)
    for side, other in ((rows, cols), (cols, rows)):
        others = [other.warp, other.lane, other.group, other.loop]
        s.loop.hoist_expr(summed, side.next, read=side.array, before=compute, indep=others, outside=0)
    s.loop.unguard(For(rows.warp, body=Write(c.total)).all)
    for side in (rows, cols):
        s.matrix.stage(side.next, at=compute, name=side.shared)
    inside = For(c.inner, body=Write(c.total)) / For(rows.group, body=Write(c.total))
    for side, name in ((rows, "left"), (cols, "right")):
        s.matrix.stage(side.shared, at=inside, name=name)


def _copied(s: TransformSession, t: Block, side: Side, c: Contraction) -> tuple[list[str], str | None]:
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
            s.loop.rename(_copy(array, loop), side.copy_loop(letter))
    vector = side.size is not None
    cuts: list[
        tuple[str, str, int]
    ] = []  # loops that are divided: the loop, the name of the outer one, the size of the inner one
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
    threads, rest, more = _shares(order, extents, t)
    cuts += more
    for letter, outer, size in cuts:
        for array in (side.next, side.shared):
            s.loop.tile(_copy(array, side.copy_loop(letter)), size, outer=side.copy_loop(outer))
        at = dims.index(letter)
        s.matrix.split_dim(side.next, at, size)
        dims[at:at] = [outer]
    nest = [*reversed(threads), *rest, *last]
    for array in (side.next, side.shared):
        s.loop.reorder(*map(side.copy_loop, nest), at=Write(array).first)
    s.matrix.reorder_dims(side.next, [dims.index(letter) for letter in nest])
    s.loop.fast_path(_copy(side.next, side.copy_loop(nest[0])), when=_divided(side.size) if side.size else None)
    return [side.copy_loop(x) for x in threads], side.copy_loop(last[0]) if last else None


def _shares(
    order: Sequence[str], extents: dict[str, int], t: Block
) -> tuple[list[str], list[str], list[tuple[str, str, int]]]:
    """Take loops as thread loops, the fastest first, until there are enough threads. Returns these, the other loops, and which
    loop is divided for that."""
    threads: list[str] = []
    rest: list[str] = []
    cuts: list[tuple[str, str, int]] = []
    missing = t.threads
    for loop in order:
        taken = gcd(extents[loop], missing)
        if taken == 1:
            rest.append(loop)
            continue
        if taken < extents[loop]:
            cuts.append((loop, loop + "_rest", taken))
            rest.append(loop + "_rest")
        threads.append(loop)
        missing //= taken
    if missing > 1:
        raise refuse(
            f"{t.threads} threads cannot share the copy of a tile {t.rows} x {t.cols} x {t.depth}", code="OG604"
        )
    return threads, rest, cuts


def _copy(array: str, loop: str) -> Target:
    return For(loop, body=Write(array).first)


def _divided(size: Expr) -> Expr:
    return Binary("==", Binary("%", size, Int(VECTOR)), Int(0))
