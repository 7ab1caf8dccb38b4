"""Windows of each channel, such as depthwise convolutions, pooling and stencils."""

from __future__ import annotations

from optigpu.schedules.contraction_tools import inline_constants
from optigpu.schedules.nest_reading import index_of, nest_writing
from optigpu.schedules.new_names import NewNames
from optigpu.schedules.row_loops import length_of
from optigpu.script.transformation import transformation
from optigpu.syntax.macro_constants import constants_of
from optigpu.syntax.substitution import substitute
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.c_text import Size
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import collect_terms, value_of


@transformation
def windows(
    s: TransformSession, *grid: str, row: str, col: str, rows: int = 8, threads: int = 256, name: str = "tile"
) -> None:
    """A kernel of results that depend on a window each: a thread computes `rows` adjacent results of a column.

    Their windows overlap, so what a thread loads for one row it has for the next. Adjacent threads have adjacent columns. Away from
    the borders of the image nothing is tested. `grid`: the other loops of the result. `name`: a prefix of the loops over blocks.

    Before:
        for (int y = 0; y < h; y++) {
          for (int x = 0; x < w; x++) {
            b[y][x] = 0 < y ? a[y - 1][x] + a[y][x] : a[y][x];
          }
        }
    Step: schedules.windows(s, row="y", col="x")
    After: a kernel of 256 threads a block, each of which loads nine elements and computes eight, for any size.

    Needs: a nest of independent loops. Fails: when no condition bounds the rows, as at a border or in the last block.
    """
    inline_constants(s)
    new = NewNames(s, col)
    columns = s.loop.tile(col, threads, outer=new[name + "_col"], tail="guard")
    groups = s.loop.tile(row, rows, outer=new[name + "_row"], tail="guard")
    outer = (index_of(groups.outer), index_of(columns.outer))
    s.loop.reorder(*grid, *outer, col, row)
    s.loop.unroll_hint(s.loop.fast_path(groups.inner))
    s.gpu.launch(grid=[*grid, *outer], block=[col])


@transformation
def line_windows(
    s: TransformSession,
    *grid: str,
    col: str,
    input: str,
    output: str,
    outside: Size | None = 0,
    results: int = 4,
    threads: int = 256,
) -> None:
    """A kernel of results that depend on a window each, which moves along rows: a block reads what its windows cover once, into
    shared memory. A thread computes `results` of them.

    `outside` is what elements outside the row count as: 0 in sums, "-INFINITY" in maxima. The conditions for elements to be inside
    are then tested when the row is read, and nowhere else. None: there are no such conditions.

    Before:
        for (int i = 0; i < n; i++) {
          float sum = 0.0f;
          for (int p = 0; p < 8; p++) {
            sum += x[i + p];
          }
          y[i] = sum;
        }
    Step: schedules.line_windows(s, col="i", input="x", output="y", outside=None)
    After: a kernel of 256 threads a block, with 1031 elements of `x` in shared memory for 1024 results.

    Needs: a nest of independent loops, `grid` and `col`, with a loop over the elements of a window, of constant length.
    Fails: when conditions in the window are not those of the row's ends, or `outside` changes the result.
    """
    nest_writing(s, output)
    inline_constants(s)
    new = NewNames(s, col)
    blocks = s.loop.tile(col, results * threads, outer=new.block, tail="guard")
    block = index_of(blocks.outer)
    copy = s.matrix.stage(input, at=blocks.inner, name=new.row, outside=outside)
    size = value_of(collect_terms(substitute(length_of(s, copy.loop), constants_of(s.program))))
    if size is None:
        raise refuse("the length of the windows is not a number", blocks.inner.statement())
    s.matrix.pad(copy.declaration, 0, to=size)
    if outside is not None:
        for window in blocks.inner.loops:
            s.loop.unguard(window)
    for shared in (copy.loop, blocks.inner):
        strips = s.loop.tile(shared, threads, outer=new.u, tail="guard")
        t = s.loop.rename(strips.inner, new.t)
        s.loop.reorder(new.t, index_of(strips.outer), at=t)
    s.gpu.launch(grid=[*grid, block], block=[new.t], shared=[new.row])
