"""Convolutions on tensor cores: the filter is packed first, so that a block reads adjacent elements of it."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.schedules.contraction_tools import accesses, inline_constants
from optigpu.schedules.elements import elements
from optigpu.schedules.required_names import require_product
from optigpu.schedules.tensor_contraction import tensor_contraction
from optigpu.script.targets import For, Target, Write
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import For as Loop
from optigpu.transform.registry import TransformSession

PACKED = "packed"


@transformation
def tensor_convolution(
    s: TransformSession,
    *,
    rows: str,
    cols: str,
    inner: str,
    filters: str,
    image: str,
    out: str,
    grid: Sequence[str],
    taps: Sequence[str],
    total: str = "sum",
    tile: tuple[int, int, int] = (128, 128, 16),
    warp: tuple[int, int] = (64, 32),
    precision: str = "tf32",
    resident: int | None = None,
    skip: Sequence[str] = (),
    vector_out: bool = True,
) -> None:
    """Kernels of `out[rows][cols] = sum over taps and inner of filters[rows] * image[cols]`: one copies the filters so that
    adjacent `rows` are adjacent in memory, the other one is a `tensor_contraction`, in which all taps of `inner` are chunks of one
    sum. `vector_out`: write two columns at a time where the size of a row is even; that is not shown if the size is a quotient.

    Before:
        for (int o = 0; o < outputs; o++) {
          for (int j = 0; j < n - 2; j++) {
            float sum = 0.0f;
            for (int c = 0; c < inputs; c++) {
              for (int p = 0; p < 3; p++) {
                sum += f[o][c][p] * x[c][j + p];
              }
            }
            y[o][j] = sum;
          }
        }
    Step: schedules.tensor_convolution(s, rows="o", cols="j", inner="c", filters="f", image="x", out="y", grid=[], taps=["p"])
    After: a kernel that writes `packed[p][c][o]`, and one whose blocks compute 128 pixels for 128 outputs each on tensor cores.

    Needs: as for `tensor_contraction`; taps of constant number.
    Fails: as `tensor_contraction`.
    """
    inline_constants(s)
    others = [*grid, *taps]
    require_product(
        s, rows=rows, cols=cols, inner=inner, others=others, left=filters, right=image, out=out, total=total
    )
    # otherwise adjacent columns may be in different rows
    in_rows = vector_out and all(x.indices[-1] == Var(cols) for x in accesses(s, out))
    _packed(s, filters, For(inner) / Write(total), [*grid, *taps, inner], rows, cols)
    tensor_contraction(
        s,
        rows=rows,
        cols=cols,
        inner=inner,
        left=PACKED,
        right=image,
        out=out,
        grid=grid,
        taps=taps,
        total=total,
        tile=tile,
        warp=warp,
        vector=[PACKED, *([out] if in_rows else [])],
        precision=precision,
        resident=resident,
        skip=skip,
    )
    s.gpu.stay_on_device()


def _packed(s: TransformSession, filters: str, at: Target, outer: Sequence[str], rows: str, cols: str) -> None:
    """A kernel that copies the filters, so that adjacent `rows` are adjacent in memory."""
    used = set().union(*(free_vars(i) for i in accesses(s, filters)[0].indices))
    unused = [loop for loop in (*outer, rows, cols) if loop not in used]
    around = [path for path in s.find(at).ancestors() if isinstance(s.at(path), Loop)]
    s.loop.hoist_expr(at, PACKED, read=filters, before=around[0], indep=unused)
    order = [*(loop for loop in outer if loop in used), rows]
    names = [i.name for i in accesses(s, PACKED)[0].indices if isinstance(i, Var)]
    s.matrix.reorder_dims(PACKED, [names.index(loop) for loop in order])
    s.loop.reorder(*order, at=Write(PACKED))
    for loop in order:
        s.loop.rename(For(loop, body=Write(PACKED)), f"f_{loop}")
    elements(s, *(f"f_{loop}" for loop in order), name="f_block")
