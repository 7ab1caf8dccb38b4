"""Sums of products on tensor cores, as products of tiles that the hardware copies while it multiplies others."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.schedules.nest_reading import array_at
from optigpu.schedules.required_names import require_positive
from optigpu.schedules.tiled_sums import ROWS_IN_TURN, TiledSum, in_parts, in_turns, staged, tiled, tiled_sum
from optigpu.script.targets import For, Write
from optigpu.script.transformation import transformation
from optigpu.syntax.types import FLOAT, STORED_FLOATS, TF32
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.refusal import refuse

GROUP = 64  # rows, or columns, of the results that a group of 128 threads has: those of one product on tensor cores
TILES = {2: (128, 256, 64), 4: (128, 256, 32)}  # by the bytes of an element: rows, columns and summands of a block


@transformation
def tile_contraction(
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
    tile: tuple[int, int, int] | None = None,
    stages: int = 4,
    elem: str | None = None,
    rows_in_turn: int = ROWS_IN_TURN,
    parts: int = 1,
) -> None:
    """A kernel of `out[rows][cols] = f(sum over inner of left[rows] * right[cols])` on tensor cores, for matrices of `half`,
    `bf16`, `tf32` or, with `elem="tf32"`, `float`, of any sizes. `grid`: the other loops of the result, as those of batches.

    A block computes the results of a `tile`: rows, columns, and summands that are copied at a time; each group of 128 threads has
    64 rows of them as a fragment, or 64 columns where the instructions for TF32 need it. While groups multiply the tiles of one
    chunk, those of the next `stages - 1` are copied. Blocks that run at the same time have adjacent tiles, `rows_in_turn` of a
    column, so that they share what they read in the cache. With `parts`, so many blocks share the summands of each tile of the
    result, for results with few rows and columns; a second kernel adds up what they leave.

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
    Step: schedules.tile_contraction(s, rows="i", cols="j", inner="k", left="a", right="b", out="c", elem="tf32")
    After: a kernel whose blocks compute 256 x 128 elements of `c`, as two fragments of 256 x 64, in a pipeline of four stages.

    Needs: a nest of independent loops around one sum of products, all of whose loops are named; a tile of a multiple of 64 rows
    (or columns), and of 16 columns (or rows).
    Fails: when the factors are of a type that tensor cores do not multiply.
    """
    c = tiled_sum(s, rows=rows, cols=cols, inner=inner, left=left, right=right, out=out, grid=grid, total=total)
    factor = array_at(s, left, For(rows)).elem
    if factor not in (FLOAT, *STORED_FLOATS):
        raise refuse(f"tensor cores do not multiply numbers of type `{factor.name}`", code="OG604")
    size = factor.size
    by_cols = size == TF32.size and c.along == (True, False)
    rows_of, cols_of, depth = TILES[size]
    shape = tile or ((cols_of, rows_of, depth) if by_cols else (rows_of, cols_of, depth))
    require_positive(tile=shape, parts=(parts,), rows_in_turn=(rows_in_turn,))
    if shape[by_cols] % GROUP:
        what = "columns" if by_cols else "rows"
        raise refuse(f"a tile of {shape[by_cols]} {what} is not one of groups with {GROUP} {what}", code="OG604")
    _require_panels(shape, c.along, size)
    if parts > 1:
        c = in_parts(s, c, shape[2], parts)
    tiled(s, c, shape)
    staged(s, c, elem)
    _divided_among_groups(s, c, by_cols)
    s.gpu.tensor_cores(c.at)
    blocks = in_turns(s, c, rows_in_turn)
    s.gpu.launch(grid=blocks, block=[c.new.group], fragments={c.total: 1})
    s.gpu.pipeline(c.new.chunk, stages=stages)
    if parts > 1:
        s.gpu.stay_on_device()


def _require_panels(shape: tuple[int, int, int], along: tuple[bool, bool], size: int) -> None:
    """The rows of the tiles of both factors have 32, 64 or a multiple of 128 bytes, and there is a multiple of eight of them."""
    rows, cols, depth = shape
    left = (rows, depth) if along[0] else (depth, rows)
    right = (cols, depth) if along[1] else (depth, cols)
    for count, length in (left, right):
        if count % 8 or (length * size not in (32, 64) and length * size % 128):
            message = f"a factor with tiles of {count} rows of {length} elements does not fit tensor cores"
            raise refuse(
                message, help="rows of 32, 64 or a multiple of 128 bytes, and a multiple of 8 of them", code="OG604"
            )
    if cols % 16 or rows % 16:
        raise refuse(f"a tile of {rows} x {cols} results is not one of products of 16 x 16", code="OG604")


def _divided_among_groups(s: TransformSession, c: TiledSum, by_cols: bool) -> None:
    """Give each group of threads its rows, or columns."""
    group, divided = c.new.group, c.cols if by_cols else c.rows
    summed, stored = For(divided, body=Write(c.total)), For(divided, body=Write(c.out))
    for nest in (summed.first, For(c.new.chunk) / summed, stored):
        made = s.loop.tile(nest, GROUP, outer=group)
        if by_cols:
            s.loop.reorder(group, c.rows, c.cols, at=made.inner)
    s.matrix.split_dim(c.total, 1 if by_cols else 0, GROUP)
    if by_cols:
        s.matrix.reorder_dims(c.total, [1, 0, 2])
