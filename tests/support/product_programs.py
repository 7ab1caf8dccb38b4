"""Sums of products as plain programs: factors of any type and layout, batches, and what is computed of each sum."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from optigpu.runtime.cuda import CudaFunction
from tests.support.tiles import as_floats, filled, stored, unset

# The names are none that schedules have as defaults. Form -> sizes, element and formula of both factors
PRODUCT = """#include <optigpu.h>
void product(int batch, int rows, int cols, int depth, TYPE x[LEFT_SIZES], TYPE y[RIGHT_SIZES], TYPE bias[cols],
             OUT z[batch][rows][cols]) {
  __requires("X: int * int * int -> float, Y: int * int * int -> float, B: int -> float");
  __reads("x ~> Matrix3(batch, LEFT_ORDER, X), y ~> Matrix3(batch, RIGHT_ORDER, Y), bias ~> Matrix1(cols, B)");
  __writes("z ~> Matrix3(batch, rows, cols, fun h r c -> "
           "max(2 * Sum(d in 0..depth, X(h, LEFT_AT) * Y(h, RIGHT_AT)) + B(c), 0))");
  for (int h = 0; h < batch; h++) {
    for (int r = 0; r < rows; r++) {
      for (int c = 0; c < cols; c++) {
        float dot = 0.0f;
        for (int d = 0; d < depth; d++) {
          dot += x[h][LEFT_INDEX] * y[h][RIGHT_INDEX];
        }
        z[h][r][c] = fmaxf(2.0f * dot + bias[c], 0.0f);
      }
    }
  }
}
"""
NAMES: dict[str, Any] = {
    "rows": "r", "cols": "c", "inner": "d", "left": "x", "right": "y", "out": "z", "grid": ["h"], "total": "dot",
}  # fmt: skip

# Batch, rows, columns, summands: within one tile, in several that are not full, with rows at multiples of 16 bytes, and empty
SIZES = [(1, 1, 1, 1), (2, 65, 17, 33), (1, 72, 24, 80), (1, 3, 5, 0), (0, 3, 3, 3), (1, 0, 2, 2)]


def product_program(form: str, elem: str, out: str | None = None) -> str:
    """`form`: `n` for a factor as in a product of matrices, `t` for one that is transposed; the left one first."""
    text = filled(PRODUCT, TYPE=elem, OUT=out or elem)
    sides = (("LEFT", ("rows", "depth"), "rd"), ("RIGHT", ("depth", "cols"), "dc"))
    for (side, sizes, at), transposed in zip(sides, form):
        order = 1 if transposed == "n" else -1
        first, second = sizes[::order]
        at = at[::order]
        text = filled(text, **{
            f"{side}_SIZES": f"batch][{first}][{second}", f"{side}_ORDER": f"{first}, {second}",
            f"{side}_AT": ", ".join(at), f"{side}_INDEX": "][".join(at),
        })  # fmt: skip
    return text


def assert_multiplies(
    f: CudaFunction,
    form: str,
    elem: str,
    out: str,
    sizes: tuple[int, int, int, int],
    more: dict[str, Any] | None = None,
) -> None:
    """The function computes what NumPy does, of numbers whose sums are exact."""
    batch, rows, cols, depth = sizes
    rng = np.random.default_rng(sum(sizes))
    x, y = (rng.integers(-1, 2, shape).astype(np.float32) for shape in ((batch, rows, depth), (batch, depth, cols)))
    bias, z = rng.integers(-3, 4, cols).astype(np.float32), unset(out, batch, rows, cols)
    laid_out = (factor_as(elem, factor, t) for factor, t in ((x, form[0]), (y, form[1])))
    f(*laid_out, stored(elem, bias), z)
    assert np.array_equal(as_floats(out, z), np.maximum(2 * x @ y + bias, 0)), sizes


def factor_as(elem: str, factor: NDArray[np.float32], form: str) -> NDArray[Any]:
    return stored(elem, np.ascontiguousarray(factor if form == "n" else factor.transpose(0, 2, 1)))
