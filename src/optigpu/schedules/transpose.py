"""Arrays whose dimensions change their order: tiles go through shared memory, so that both sides are accessed along rows."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.schedules.nest_reading import (
    array_at,
    index_of,
    is_multiple,
    nest_writing,
    one_access,
    require_loops,
    size_of_elements,
)
from optigpu.schedules.new_names import NewNames
from optigpu.schedules.reading import Element
from optigpu.script.targets import For, Write
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Array, Binary, Expr, Var
from optigpu.transform.gpu.memory_spaces import pad
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import lit, minus, mod, plus, times

SECTOR = 32  # bytes of memory that are written at once


@transformation
def transpose(
    s: TransformSession,
    *grid: str,
    read_along: str,
    write_along: str,
    input: str,
    output: str,
    tile: int = 64,
    rows: int = 4,
    versions: bool = True,
) -> None:
    """A kernel of a loop nest that writes `output` along one loop and reads `input` along another one: a transpose, or any other
    order of dimensions. Sizes may be any.

    A block copies a square of `tile` x `tile` elements to shared memory and from there to the output, both along rows, by `rows`
    rows of threads at a time. Rows of the output that start in the middle of a sector of memory are written in tiles that start
    with one: where rows are no whole number of sectors long, a second version of the function does so. Without `versions`, the
    kernel for all sizes is the only one.

    Before:
        for (int x = 0; x < W; x++) {
          for (int y = 0; y < H; y++) {
            b[x][y] = a[y][x];
          }
        }
    Step: schedules.transpose(s, read_along="x", write_along="y", input="a", output="b")
    After: one kernel where `H % 8 == 0`, with `__shared__ float tile[64][65]`, and another one for all other sizes.

    Needs: a nest of independent loops: `grid`, those that are neither of the two; one element of `input` for each of `output`.
    Fails: when an array does not have adjacent elements along its loop.
    """
    require_loops(s, (*grid, read_along, write_along), output)
    nest = nest_writing(s, output)
    written = one_access(s, output, nest, write=True)
    read = one_access(s, input, nest)
    for element, index in ((read, read_along), (written, write_along)):
        if element.indices[-1] != Var(index):
            message = f"adjacent iterations of the loop over `{index}` are not adjacent elements of `{element.array}`"
            raise refuse(message, nest.statement(), "exchange read_along= and write_along=")
    if read_along == write_along or Var(write_along) not in read.indices:
        raise refuse(f"`{input}` has no dimension that the loop over `{write_along}` moves alone", nest.statement())
    target = array_at(s, output, nest)
    row, sector = target.dims[-1], SECTOR // size_of_elements(target)
    if row is None:
        raise refuse(f"the sizes of `{output}` are not known", nest.statement())
    names = {"read_along": read_along, "write_along": write_along, "input": input, "output": output}
    if is_multiple(row, sector):
        _aligned(s, grid, tile, rows, **names)
    elif not versions:
        _shifted(s, grid, tile, rows, read, written, target, sector, **names)
    else:
        fast, rest = s.function.versions(Binary("==", mod(row, lit(sector)), lit(0)))
        with s.inside(fast):
            _aligned(s, grid, tile, rows, **names)
        with s.inside(rest):
            _shifted(s, grid, tile, rows, read, written, target, sector, **names)
    s.gpu.stay_on_device()


def _aligned(
    s: TransformSession,
    grid: Sequence[str],
    tile: int,
    rows: int,
    *,
    read_along: str,
    write_along: str,
    input: str,
    output: str,
) -> None:
    """Rows of whole sectors: square tiles."""
    new = NewNames(s, write_along)
    down = s.loop.tile(write_along, tile, outer=new["tile_" + write_along], tail="guard")
    across = s.loop.tile(read_along, tile, outer=new["tile_" + read_along], tail="guard")
    tiles = (index_of(down.outer), index_of(across.outer))
    s.loop.reorder(*grid, *tiles, read_along, write_along)
    s.matrix.stage(input, at=read_along, name=new.tile)
    _launch(s, new, grid, tiles, rows, read_along, write_along, output)


def _shifted(
    s: TransformSession,
    grid: Sequence[str],
    tile: int,
    rows: int,
    read: Element,
    written: Element,
    target: Array,
    sector: int,
    *,
    read_along: str,
    write_along: str,
    input: str,
    output: str,
) -> None:
    """Other rows: the part of a row that a block writes starts with a sector, so it reads up to a sector of the input more."""
    shift = _start_in_sector(target, written.indices[:-1], sector)
    new = NewNames(s, write_along)
    down = s.loop.tile_shifted(write_along, tile, shift=shift, most=sector - 1, outer=new["tile_" + write_along])
    across = s.loop.tile(read_along, tile, outer=new["tile_" + read_along], tail="guard")
    tiles = (index_of(down.outer), index_of(across.outer))
    s.loop.reorder(*grid, *tiles, read_along, write_along)
    starts = {
        write_along: (minus(times(Var(tiles[0]), lit(tile)), lit(sector)), tile + sector),
        read_along: (times(Var(tiles[1]), lit(tile)), tile),
    }
    window = [starts.get(e.name, (e, 1)) if isinstance(e, Var) else (e, 1) for e in read.indices]
    copy = s.matrix.local_name_tile(read_along, var=input, local_var=new.tile, tile=window, clip=True)
    assert copy.copy_in is not None
    moving = [e.name for e in read.indices if isinstance(e, Var) and e.name in starts]
    for loop, index in zip((copy.copy_in, *copy.copy_in.loops), moving):
        s.loop.rename(loop, index)
    _launch(s, new, grid, tiles, rows, read_along, write_along, output)


def _launch(
    s: TransformSession,
    new: NewNames,
    grid: Sequence[str],
    tiles: Sequence[str],
    rows: int,
    read_along: str,
    write_along: str,
    output: str,
) -> None:
    """Make the copies of a tile to and from shared memory a kernel: adjacent threads have adjacent elements in both."""
    for along, across, array in ((read_along, write_along, new.tile), (write_along, read_along, output)):
        s.loop.tile(For(across, body=Write(array)), rows, outer=new.u)
        s.loop.reorder(across, along, new.u, at=Write(array))
    s.gpu.launch(grid=[*grid, *tiles], block=[write_along, read_along], shared={new.tile: pad(1)})


def _start_in_sector(array: Array, row: tuple[Expr, ...], sector: int) -> Expr:
    """By how many elements a row of an array starts after the start of a sector."""
    start: Expr = lit(0)
    for size, index in zip(array.dims, row):
        assert size is not None
        start = plus(_rest(times(start, _rest(size, sector)), sector), _rest(index, sector))
    length = array.dims[-1]
    assert length is not None
    return _rest(times(_rest(start, sector), _rest(length, sector)), sector)


def _rest(e: Expr, sector: int) -> Expr:
    return lit(0) if e == lit(0) else mod(e, lit(sector))
