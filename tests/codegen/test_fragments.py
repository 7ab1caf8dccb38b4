"""Fragments on the stand-in: loops over their elements, reductions of rows, and stores of adjacent elements."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from optigpu.syntax.diagnostic import InputError
from tests.support.cuda import emitted, on_standin
from tests.support.tiles import as_floats, filled, small_integers, stored, unset
from tests.support.verdicts import VERIFIED, verdict_of

# Each element with what is computed of its row. Rows and columns outside of the array are zeros, and not stored.
ROWS = """#include <optigpu.h>
void f(int n, int m, TYPE a[n][m], OUT b[n][m]) {
  __requires("A: int * int -> float, 0 <= n, 0 <= m, m <= COLS");
  __reads("a ~> Matrix2(n, m, A)");
  __writes("b ~> RESULT");
  TYPE* const d_a = __gmem_malloc2<TYPE>(n, m);
  OUT* const d_b = __gmem_malloc2<OUT>(n, m);
  memcpy_host_to_device2(d_a, a, n, m);
  kernel_launch((n + 2 * COUNT - 1) / (2 * COUNT), 2 * GROUP, 0);
  kernel_setup_end();
  thread for (int block = 0; block < (n + 2 * COUNT - 1) / (2 * COUNT); block++) {
    thread for (int g = 0; g < 2; g++) {
      __fragment__ TYPE x[COUNT][COLS];
      __fragment__ float y[COUNT][COLS];
      __fragment__ float v[COUNT];
      frag for (int i = 0; i < COUNT; i++) {
        v[i] = 2.0f;
        frag for (int j = 0; j < COLS; j++) {
          if (2 * COUNT * block + COUNT * g + i < n && j < m) {
            x[i][j] = d_a[2 * COUNT * block + COUNT * g + i][j];
          } else {
            x[i][j] = 0.0f;
          }
        }
      }
      frag for (int i = 0; i < COUNT; i++) frag for (int j = 0; j < COLS; j++) y[i][j] = x[i][j];
      REDUCTION(v, y);
      frag for (int i = 0; i < COUNT; i++) {
        v[i] *= 2.0f;
        if (2 * COUNT * block + COUNT * g + i < n) {
          frag for (int j = 0; j < COLS; j++) {
            if (j < m) {
              d_b[2 * COUNT * block + COUNT * g + i][j] = y[i][j] + v[i];
            }
          }
        }
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(b, d_b, n, m);
  gmem_free(d_a);
  gmem_free(d_b);
}
"""
SUMS = "Matrix2(n, m, fun i j -> A(i, j) + 2 * (2 + Sum(k in 0..m, A(i, k))))"


def of_rows(elem: str, out: str, group: int, rows: int, cols: int, reduction: str = "sum") -> str:
    result = SUMS if reduction == "sum" else "Cells2(n, m)"
    text = filled(ROWS, RESULT=result, REDUCTION=f"frag_row_{reduction}", TYPE=elem, OUT=out)
    return filled(text, GROUP=group, COUNT=rows, COLS=cols)


@pytest.mark.parametrize(
    ("elem", "out", "group", "rows", "cols", "reduction"),
    [
        ("float", "float", 32, 16, 8, "sum"), ("half", "half", 32, 32, 24, "max"), ("bf16", "float", 32, 16, 16, "min"),
        ("float", "float", 128, 128, 8, "max"), ("half", "float", 128, 64, 24, "sum"), ("tf32", "bf16", 128, 64, 16, "min"),
        ("float", "double", 128, 64, 8, "sum"),
    ],
)  # fmt: skip
def test_rows_of_fragments_are_reduced(elem: str, out: str, group: int, rows: int, cols: int, reduction: str) -> None:
    text = of_rows(elem, out, group, rows, cols, reduction)
    assert verdict_of(text) == VERIFIED
    f = on_standin(text)
    for n, m in ((1, 1), (rows, cols), (2 * rows - 1, cols - 1), (2 * rows + 9, cols // 2), (5, 2), (0, 3), (3, 0)):
        a = small_integers(n + m, n, m)
        b = np.full((n, m), np.nan) if out == "double" else unset(out, n, m)
        f(stored(elem, a), b)
        padded = np.hstack([a, np.zeros((n, cols - m), np.float32), np.full((n, 1), 2, np.float32)])
        reduced = getattr(np, reduction)(padded, axis=1)
        assert np.array_equal(as_floats(out, b), a + 2 * reduced[:, None])


def test_a_wrong_sum_of_rows_is_refuted() -> None:
    right = of_rows("float", "float", 32, 16, 8)
    assert verdict_of(right.replace("Sum(k in 0..m,", "Sum(k in 1..m,")) != VERIFIED
    assert verdict_of(right.replace("frag_row_sum", "frag_row_max")) != VERIFIED
    assert verdict_of(right.replace("(v, y);", "(v, y);\n      frag_row_sum(v, y);")) != VERIFIED


def test_adjacent_elements_are_stored_at_once_where_both_are_inside() -> None:
    text = emitted(of_rows("float", "float", 32, 16, 8)).text
    assert "store_pair(&d_b[" in text
    assert "store_pair(&d_b[" not in emitted(of_rows("float", "double", 32, 16, 8)).text, "no store of 16 bytes"


# Elements of 16 bits are two in a register.
PACKED = """#include <optigpu.h>
void f(TYPE a[32][16], TYPE b[32][16]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(32, 16, A)");
  __writes("b ~> Matrix2(32, 16, fun i j -> VALUE)");
  TYPE* const d_a = __gmem_malloc2<TYPE>(32, 16);
  TYPE* const d_b = __gmem_malloc2<TYPE>(32, 16);
  memcpy_host_to_device2(d_a, a, 32, 16);
  kernel_launch(1, 32, 0);
  kernel_setup_end();
  thread for (int block = 0; block < 1; block++) {
    __fragment__ TYPE p[32][16];
    __fragment__ TYPE q[32][16];
    frag for (int i = 0; i < 32; i++) frag for (int j = 0; j < 16; j++) { p[i][j] = d_a[i][j]; q[i][j] = 1.0f; }
    frag for (int i = 0; i < 32; i++) frag for (int j = 0; j < 16; j++) CHANGE
    frag for (int i = 0; i < 32; i++) frag for (int j = 0; j < 16; j++) d_b[i][j] = p[i][j];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(b, d_b, 32, 16);
  gmem_free(d_a);
  gmem_free(d_b);
}
"""
Numbers = NDArray[np.float32]
# Statement -> what the result is, in formulas and in NumPy, where i and j are the numbers of rows and columns
CHANGES: dict[str, tuple[str, Callable[[Numbers, Numbers, Numbers], Numbers]]] = {
    "p[i][j] = p[i][j];": ("A(i, j)", lambda a, i, j: a),
    "p[i][j] = 3.0f * p[i][j];": ("3 * A(i, j)", lambda a, i, j: 3 * a),
    "p[i][j] += 5.0f;": ("A(i, j) + 5", lambda a, i, j: a + 5),
    "p[i][j] *= p[i][j];": ("A(i, j) * A(i, j)", lambda a, i, j: a * a),
    "p[i][j] = q[i][j];": ("1", lambda a, i, j: np.ones_like(a)),
    "{ q[i][j] = p[i][j]; p[i][j] += q[i][j]; }": ("2 * A(i, j)", lambda a, i, j: 2 * a),
    "if (j % 2 == 0) p[i][j] = 7.0f;": ("j % 2 == 0 ? 7 : A(i, j)", lambda a, i, j: np.where(j % 2 == 0, 7, a)),
    "if (i + j < 20) p[i][j] = q[i][j]; else p[i][j] -= 1.0f;": (
        "i + j < 20 ? 1 : A(i, j) - 1",
        lambda a, i, j: np.where(i + j < 20, 1, a - 1),
    ),
    "p[i][j] = i + 2 * j;": ("i + 2 * j", lambda a, i, j: i + 2 * j),
    "p[i][j] = d_a[i][15 - j];": ("A(i, 15 - j)", lambda a, i, j: a[:, ::-1]),
    "p[i][j] = p[i][j] < 0.0f ? -p[i][j] : p[i][j];": ("abs(A(i, j))", lambda a, i, j: np.abs(a)),
}


@pytest.mark.parametrize(
    ("elem", "change"), [*(("half", x) for x in CHANGES), *(("bf16", x) for x in list(CHANGES)[1::3])]
)
def test_elements_of_16_bits_are_changed_one_by_one(elem: str, change: str) -> None:
    formula, computed = CHANGES[change]
    text = filled(PACKED, TYPE=elem, CHANGE=change, VALUE=formula)
    assert verdict_of(text) == VERIFIED
    a, b = small_integers(1, 32, 16), unset(elem, 32, 16)
    on_standin(text)(stored(elem, a), b)
    i, j = np.indices((32, 16)).astype(np.float32)
    assert np.array_equal(as_floats(elem, b), computed(a, i, j))


def test_two_elements_of_16_bits_are_one_register() -> None:
    text = filled(PACKED, TYPE="half", CHANGE="p[i][j] = 2.0f * p[i][j];", VALUE="2 * A(i, j)")
    kernel = emitted(text).text.split("__global__")[1]
    assert "unsigned p[2][2][2];" in kernel and "rounded_half(" in kernel


# Indices of loops over fragments have the types that they are declared with.
WIDE = """#include <optigpu.h>
void f(int n, int64_t b[n][16]) {
  __requires("0 <= n && n <= 32");
  __writes("b ~> Matrix2(n, 16, fun i j -> (i + 1) * 2000000000 + j)");
  int64_t* const d_b = __gmem_malloc2<int64_t>(n, 16);
  kernel_launch(1, 32, 0);
  kernel_setup_end();
  thread for (int block = 0; block < 1; block++) {
    frag for (int64_t i = 0; i < 32; i++) frag for (int64_t j = 0; j < 16; j++) if (i < n) d_b[i][j] = (i + 1) * 2000000000 + j;
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(b, d_b, n, 16);
  gmem_free(d_b);
}
"""


def test_indices_of_64_bits_are_computed_with_in_64_bits() -> None:
    assert verdict_of(WIDE) == VERIFIED
    b = np.zeros((30, 16), np.int64)
    on_standin(WIDE)(30, b)
    i, j = np.indices(b.shape)
    assert np.array_equal(b, (i + 1) * 2_000_000_000 + j)


def test_a_tile_is_copied_by_a_known_number_of_threads() -> None:
    text = """#include <optigpu.h>
void f(int T, float a[32][32], float b[32][32]) {
  __requires("A: int * int -> float, T == 64");
  __reads("a ~> Matrix2(32, 32, A)");
  __writes("b ~> Cells2(32, 32)");
  float* const d_a = __gmem_malloc2<float>(32, 32);
  memcpy_host_to_device2(d_a, a, 32, 32);
  kernel_launch(1, T, 4096);
  kernel_setup_end();
  thread for (int block = 0; block < 1; block++) {
    __shared__ float t[32][32];
    tile_load(t, d_a, 0, 0);
    blocksync();
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(b, d_a, 32, 32);
  gmem_free(d_a);
}
"""
    assert verdict_of(text) == VERIFIED
    with pytest.raises(InputError, match="the threads that copy a tile together are no known number"):
        emitted(text)
