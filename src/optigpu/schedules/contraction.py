"""Sums of products, such as matrix products and convolutions: a block computes a tile of the result from tiles in shared memory."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.light_dataclass import dataclass
from optigpu.script.targets import For, Target, Write
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Index, Var
from optigpu.syntax.walk import body_subexpressions, root_name
from optigpu.transform.gpu.memory_spaces import pad
from optigpu.transform.registry import TransformSession

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
    total: str = "sum",
    tile: tuple[int, int, int] = (64, 128, 16),
) -> None:
    """A kernel of `out[rows][cols] = sum over taps and inner of left[rows] * right[cols]`, for any sizes.

    `grid`: the other loops of the result. `taps`: loops of the sum around `inner`, which is divided into chunks that are staged in
    shared memory, with zeros outside the arrays. `left` does not depend on `cols`, nor `right` on `rows`.
    """
    t = Tile(*tile)
    _tiled(s, rows, "br", "hr", "tr", t.rows)
    _tiled(s, cols, "bc", "hc", "tc", t.cols)
    s.loop.tile(inner, t.depth, outer="chunk", tail="guard")
    blocks = [*grid, "br", "bc"]
    s.loop.reorder(*blocks, "tr", "tc", "hr", rows, "hc", cols)
    s.loop.reorder(*blocks, *taps, "chunk", "tr", "tc", inner, "hr", rows, "hc", cols)
    s.matrix.stage(left, at=For("chunk") / For("tr"), name="ls", outside=0)
    s.matrix.stage(right, at=For("chunk") / For("tr", body=Write(total)), name="rs", outside=0)
    s.loop.unguard(For("tr", body=Write(total)).all)
    s.matrix.stage("ls", at=For(inner, body=Write(total)) / For("hr"), name="lv")
    s.matrix.stage("rs", at=For(inner, body=Write(total)) / For("hr", body=Write(total)), name="rv")
    _reorder_dims(s, "ls", [inner, "hr", "tr", rows])
    _reorder_dims(s, "rs", [inner, "hc", "tc", cols])
    threads = [*_left_copy(s, t, rows, inner), *_right_copy(s, t, cols, inner)]
    s.loop.unroll_hint(For(inner, body=Write(total)))
    s.gpu.launch(grid=blocks, block=["tr", "tc", *threads], shared={"ls": pad(HALF), "rs": None}, registers={total: 2})
    s.gpu.vectorize(For(rows, body=Write("lv")))
    s.gpu.vectorize(For(cols, body=Write("rv")))


def _tiled(s: TransformSession, loop: str, block: str, half: str, thread: str, size: int) -> None:
    s.loop.tile(loop, size, outer=block, tail="guard")
    s.loop.tile(loop, size // 2, outer=half)
    s.loop.tile(loop, HALF, outer=thread)


def _copy(array: str, loop: str) -> Target:
    return For(loop, body=Write(array).first)


def _left_copy(s: TransformSession, t: Tile, rows: str, inner: str) -> list[str]:
    """Distribute the copy of the left array among the threads, and return its thread loops."""
    for loop, name in (("tr", "ltr"), ("hr", "lhr"), (rows, "lr"), (inner, "lk")):
        s.loop.rename(_copy("ls", loop), name)
    return _spread(s, "ls", t, ["lk", "ltr", "lhr", "lr"], {"lk": t.depth, "ltr": t.rows // 8, "lhr": 2, "lr": HALF})


def _right_copy(s: TransformSession, t: Tile, cols: str, inner: str) -> list[str]:
    for loop, name in (("tc", "rtc"), ("hc", "rhc"), (cols, "rc"), (inner, "rk")):
        s.loop.rename(_copy("rs", loop), name)
    return _spread(s, "rs", t, ["rc", "rtc", "rhc", "rk"], {"rk": t.depth, "rtc": t.cols // 8, "rhc": 2, "rc": HALF})


def _spread(s: TransformSession, array: str, t: Tile, order: Sequence[str], extents: dict[str, int]) -> list[str]:
    """Take loops as thread loops, the fastest first, until there are enough threads; the last one may be divided."""
    threads: list[str] = []
    rest: list[str] = []
    missing = t.threads
    for loop in order:
        if missing == 1:
            rest.append(loop)
            continue
        if extents[loop] > missing:
            rest.append(loop + "_rest")
            s.loop.tile(_copy(array, loop), missing, outer=rest[-1])
        threads.append(loop)
        missing //= min(extents[loop], missing)
    s.loop.reorder(*reversed(threads), *rest, at=Write(array).first)
    return threads


def _reorder_dims(s: TransformSession, array: str, wanted: Sequence[str]) -> None:
    """Put the dimensions of a staged array in the order of the loop indices that it is read with."""
    accesses = [x for f in s.program.functions() for x in body_subexpressions(f.body or ()) if isinstance(x, Index)]
    names = [i.name for i in next(x for x in accesses if root_name(x) == array).indices if isinstance(i, Var)]
    s.matrix.reorder_dims(array, [names.index(w) for w in wanted])
