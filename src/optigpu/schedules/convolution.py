"""Convolutions in one line: the filters, the image and the loops over them are read from the program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from optigpu.schedules.contraction import contraction
from optigpu.schedules.contraction_tools import start_at_zero
from optigpu.schedules.matmul import PRECISIONS
from optigpu.schedules.product_reading import ProductReading, only_product, single_product
from optigpu.schedules.proposals import Proposal, Unfit
from optigpu.schedules.tensor_convolution import tensor_convolution
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Binary
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.walk import subexpressions
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.refusal import refuse


@transformation
def convolution(
    s: TransformSession,
    *,
    rows: str | None = None,
    cols: str | None = None,
    inner: str | None = None,
    filters: str | None = None,
    image: str | None = None,
    out: str | None = None,
    grid: Sequence[str] | None = None,
    taps: Sequence[str] | None = None,
    total: str | None = None,
    precision: str = "float",
    tile: tuple[int, int, int] | None = None,
    warp: tuple[int, int] = (64, 32),
    resident: int | None = None,
    planes: bool = False,
    skip: Sequence[str] = (),
) -> None:
    """Kernels of `out[rows][cols] = f(sum over taps and inner of filters[rows][inner][taps] * image[inner][cols + taps])`, for
    images of any size, with strides, dilation and padding. The arguments that name loops and arrays are read from the program where
    they are left out: `rows` are the channels of the output, `cols` its adjacent pixels, `inner` the channels of the image.

    `precision`: "float" computes on the cores of floats; "tf32" and "tf32x3" on tensor cores, for which a first kernel packs the
    filters. `tile`: rows, columns and summands of a block; `warp`: rows and columns of a warp on tensor cores; `resident`: for how
    many blocks on a multiprocessor it has registers. `planes`: the last two loops over pixels are one, for images with short rows.
    `skip`: conditions on the loops of blocks and taps without which all summands are zero.

    Before:
        for (int o = 0; o < outputs; o++) {
          for (int i = 0; i < h; i++) {
            for (int j = 0; j < w; j++) {
              float sum = 0.0f;
              for (int c = 0; c < inputs; c++) {
                for (int u = 0; u < 3; u++) {
                  for (int v = 0; v < 3; v++) {
                    if (0 <= i + u - 1 && i + u - 1 < h && 0 <= j + v - 1 && j + v - 1 < w) {
                      sum += x[c][i + u - 1][j + v - 1] * f[o][c][u][v];
                    }
                  }
                }
              }
              y[o][i][j] = sum;
            }
          }
        }
    Step: schedules.convolution(s)
    After: a kernel whose blocks compute 128 pixels of a row for 64 outputs each, from 16 inputs and one tap at a time in shared
    memory.

    Needs: a nest of independent loops around one sum of products, of which the filters do not depend on the pixel and the image not
    on the output.
    Fails: with `planes`, when the contract lets a row of pixels be empty.
    """
    if precision not in PRECISIONS:
        raise refuse(f'precision="{precision}" is not known', help=f"one of {', '.join(PRECISIONS)}", code="OG604")
    p = only_product(
        s, "convolution", {"filters": "left", "image": "right"},
        rows=rows, cols=cols, inner=inner, filters=filters, image=image, out=out, grid=grid, taps=taps, total=total,
    )  # fmt: skip
    names: dict[str, Any] = {"grid": [], "taps": [], **p.names(), "skip": skip}
    start_at_zero(s, p.total)
    if planes:
        names |= _in_planes(s, p)
    if precision == "float":
        contraction(s, **names, tile=tile or (64, 128, 16))
        return
    names |= {"filters": names.pop("left"), "image": names.pop("right"), "warp": warp, "resident": resident}
    tensor_convolution(s, **names, tile=tile or (128, 128, 16), precision=precision, vector_out=not _is_strided(p))


def _in_planes(s: TransformSession, p: ProductReading) -> dict[str, object]:
    """Make the loops over the rows and the columns of the image one. Returns the names that this changes."""
    around = next((x for x in p.grid if x.body == (p.cols,)), None)
    if around is None:
        raise refuse(f"the loop over `{p.cols.index}` is not alone in another one over pixels", p.cols)
    index = f"{around.index}{p.cols.index}"
    s.loop.collapse(around.index, index=index)
    return {"cols": index, "grid": [x.index for x in p.grid if x is not around]}


def _is_strided(p: ProductReading) -> bool:
    """Does an index of the image move by more than one with the columns, or by a quotient? Then the size of a row of results is a
    quotient, too."""
    parts = [
        x for e in p.right.indices if p.cols.index in free_vars(e) for x in subexpressions(e) if isinstance(x, Binary)
    ]
    return any(x.op in "*/%" and p.cols.index in free_vars(x) for x in parts)


def propose_convolution(s: TransformSession) -> Proposal | Unfit:
    """Fits a program with one convolution of an image with several filters."""
    p = single_product(s)
    if isinstance(p, str):
        return Unfit("convolution", p)
    if not p.is_windowed:
        return Unfit("convolution", "no index of a factor moves with the result and with the sum")
    words = {"left": "filters", "right": "image"}
    return Proposal(convolution, (), {words.get(key, key): value for key, value in p.names().items()})
