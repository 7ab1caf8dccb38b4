"""Sums of products by tiles: what the kernels have in common that compute with tiles which the hardware copies.

A block computes a tile of the results from tiles of the factors, chunk after chunk of the summands. While it uses the tiles of one
chunk, those of the next ones are copied.
"""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.light_dataclass import dataclass, replace
from optigpu.schedules.contraction_tools import inline_constants, is_along
from optigpu.schedules.nest_reading import index_of
from optigpu.schedules.new_names import NewNames
from optigpu.schedules.reading import without_casts
from optigpu.schedules.required_names import require_product
from optigpu.script.targets import Decl, For, Target, Write
from optigpu.syntax.exprs import Index, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import Store
from optigpu.transform.registry import TransformSession

ROWS_IN_TURN = 16  # rows of blocks whose tiles stay in the cache
FINISHED = 256  # results of a block that adds up parts of sums


@dataclass(frozen=True)
class TiledSum:
    """The loops and arrays of a sum of products, and the names of what is made. `along`: are adjacent summands of the left and the
    right factor adjacent in memory, rather than adjacent rows or columns? `chunked`: is there a loop over chunks already?"""

    rows: str
    cols: str
    inner: str
    left: str
    right: str
    out: str
    total: str
    grid: tuple[str, ...]
    along: tuple[bool, bool]
    new: NewNames
    chunked: bool = False

    @property
    def at(self) -> Target:
        """Where the tiles of a chunk are used."""
        return For(self.new.chunk) / For(self.rows, body=Write(self.total))

    @property
    def blocks(self) -> list[str]:
        return [*self.grid, self.new.br, self.new.bc]


def tiled_sum(
    s: TransformSession,
    *,
    rows: str,
    cols: str,
    inner: str,
    left: str,
    right: str,
    out: str,
    grid: Sequence[str],
    total: str,
) -> TiledSum:
    inline_constants(s)
    require_product(s, rows=rows, cols=cols, inner=inner, others=grid, left=left, right=right, out=out, total=total)
    along = is_along(s, left, inner, rows), is_along(s, right, inner, cols)
    return TiledSum(rows, cols, inner, left, right, out, total, tuple(grid), along, NewNames(s, For(rows)))


def in_parts(s: TransformSession, c: TiledSum, depth: int, parts: int) -> TiledSum:
    """Let different blocks add up different chunks of `depth` summands, and a second kernel add up their `parts`: for few rows and
    columns. Launches the second kernel; the result is the first one."""
    new, around = c.new, [*c.grid, c.rows, c.cols]
    s.loop.tile(c.inner, depth * parts, outer=new.chunk, tail="guard")
    s.loop.tile(c.inner, depth, outer=new.part)
    s.loop.reorder(new.part, new.chunk, c.inner)
    s.reduce.parts(For(new.part), var=c.total, parts=new.parts, part=new.own)
    s.loop.hoist(new.parts, levels=len(around))
    dims = len(around) + 1
    s.instr.move(Decl(c.total), after=For(new.part).first)
    s.loop.fission(after=For(new.part).first, levels=len(around))
    s.matrix.reorder_dims(new.parts, [*range(dims - 3), dims - 1, dims - 3, dims - 2])
    second = [new[f"{loop}_done"] for loop in around]
    for loop, name in zip(around, second):
        s.loop.rename(For(loop, body=Write(c.out)), name)
    s.loop.rename(For(new.part, body=Write(c.total)), new.each)
    s.loop.tile(second[-1], FINISHED, outer=new.line, tail="guard")
    s.gpu.launch(at=For(second[0]), grid=[*second[:-1], new.line], block=[second[-1]])
    s.loop.reorder(*c.grid, new.part, c.rows, c.cols, at=Write(new.parts))
    return replace(c, grid=(*c.grid, new.part), out=new.parts, total=new.own, chunked=True)


def tiled(s: TransformSession, c: TiledSum, tile: Sequence[int]) -> None:
    """Divide the loops into blocks and chunks."""
    new = c.new
    for loop, outer, size in zip((c.rows, c.cols), (new.br, new.bc), tile):
        s.loop.tile(For(loop, body=Write(c.total)).first, size, outer=outer, tail="guard")
    if not c.chunked:
        s.loop.tile(c.inner, tile[2], outer=new.chunk, tail="guard")
    s.loop.reorder(*c.blocks, c.rows, c.cols)
    s.loop.reorder(*c.blocks, new.chunk, c.rows, c.cols, c.inner)


def staged(s: TransformSession, c: TiledSum, elem: str | None = None) -> None:
    """Read the factors from tiles that are copied, with zeros outside of the arrays."""
    new = c.new
    for array, copy, other in ((c.left, new.left_tile, c.cols), (c.right, new.right_tile, c.rows)):
        summed = For(new.chunk) / Write(c.total)
        s.loop.hoist_expr(summed, copy, read=array, before=c.at, indep=[other], outside=0, elem=elem)
    s.loop.unguard(For(c.rows, body=Write(c.total)).all)
    for copy in (new.left_tile, new.right_tile):
        _lay_out_as_read(s, copy)
        s.gpu.async_copy(copy)


def _lay_out_as_read(s: TransformSession, copy: str) -> None:
    """Let adjacent elements of a tile be adjacent in the array that it is copied from."""
    store = s.at(s.find(Write(copy).first))
    if not isinstance(store, Store):
        return
    match store.target, without_casts(store.value):
        case Index(_, (Var(first), Var(_))), Index(_, (*_, last)) if first in free_vars(last):
            s.matrix.reorder_dims(copy, [1, 0])


def in_turns(s: TransformSession, c: TiledSum, rows_in_turn: int) -> list[str]:
    """Let blocks that run at the same time have adjacent tiles, so many rows of them; the loops over blocks."""
    if rows_in_turn < 2:
        return c.blocks
    turned = s.gpu.swizzle_blocks(c.new.br, c.new.bc, rows_in_turn)
    return [*c.grid, *map(index_of, turned.nest)]
