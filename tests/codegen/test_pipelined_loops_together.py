"""Pipelined loops beside and inside each other, with conditions, pointers and other copies: right in both forms on the stand-in."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.cuda import emitted, on_standin
from tests.support.tiles import both_capabilities, filled, small_integers, unset
from tests.support.verdicts import VERIFIED, verdict_of

AROUND = """#include <optigpu.h>
void f(int n, float a[n][64], float c[n][64]) {
  __requires("A: int * int -> float, 0 <= n");
  __reads("a ~> Matrix2(n, 64, A)");
  __writes("c ~> Matrix2(n, 64, fun i j -> RESULT)");
  float* const d_a = __gmem_malloc2<float>(n, 64);
  float* const d_c = __gmem_malloc2<float>(n, 64);
  memcpy_host_to_device2(d_a, a, n, 64);
  kernel_launch(1, 64, 8 * 8 * 64 * sizeof(float));
  kernel_setup_end();
  thread for (int block = 0; block < 1; block++) {
BODY
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(c, d_c, n, 64);
  gmem_free(d_a);
  gmem_free(d_c);
}
"""
LOOP = """    #pragma pipeline 2
    for (int k = 0; k < n; k++) {
      __shared__ float t[8][64];
      tile_load(t, d_a, k, 0);
      pipeline_wait();
      thread for (int j = 0; j < 64; j++) d_c[k][j] = t[0][j];
    }
"""
COPY, USE, SUM = (
    "tile_load(t, d_a, k, 0);",
    "thread for (int j = 0; j < 64; j++) d_c[k][j] = t[0][j];",
    "= t[0][j] + s[0][j];",
)
NESTED = """    #pragma pipeline 2
    for (int x = 0; x < (n + 7) / 8; x++) {
      __shared__ float s[8][64];
      tile_load(s, d_a, 8 * x, 0);
      pipeline_wait();
      #pragma pipeline 3
      for (int k = 0; k < (8 * x + 8 <= n ? 8 : n - 8 * x); k++) {
        __shared__ float t[8][64];
        tile_load(t, d_a, 8 * x + k, 0);
        pipeline_wait();
        thread for (int j = 0; j < 64; j++) d_c[8 * x + k][j] = t[0][j] + s[k][j];
      }
      blocksync();
    }
"""
OTHER_ROWS = filled(LOOP, **{COPY: f"if (k % 2 == 0) {COPY} else tile_load(t, d_a, k + 1, 0);"})
BY_POINTER = filled(LOOP, **{USE: f"float* const q = &t[1][0]; {USE.replace('t[0]', 'q')}"})
BACKWARDS = filled(LOOP, **{COPY: "const int row = n - 1 - k; tile_load(t, d_a, row, 0);"})
FIRST_COPY = "    __shared__ float s[8][64];\n    tile_load(s, d_a, 0, 0);\n    blocksync();\n"
MORE_COPIES = filled(LOOP, **{
    "pipeline_wait();": "pipeline_wait(); tile_load(s, d_a, n - 1 - k, 0); blocksync();",
    "= t[0][j];": f"{SUM} blocksync();",
})  # fmt: skip
ALL = "for (int k = 0; k < n; k++) d_c[k][j] = d_a[k][j];"
# Name -> statements of a block, and the result of each element
BODIES = {
    "one after the other": (f"{LOOP}    blocksync();\n{LOOP.replace('= t[0]', '+= t[0]')}", "2 * A(i, j)"),
    "one after the other without a barrier": (f"{LOOP}{LOOP.replace('= t[0]', '+= t[0]')}", "2 * A(i, j)"),
    "one inside of another": (NESTED, "2 * A(i, j)"),
    "a condition around copies": (OTHER_ROWS, "i % 2 == 0 ? A(i, j) : i + 1 < n ? A(i + 1, j) : 0"),
    "a pointer into a tile": (BY_POINTER, "i + 1 < n ? A(i + 1, j) : 0"),
    "a constant that runs ahead": (BACKWARDS, "A(n - 1 - i, j)"),
    "a copy before the loop": (f"{FIRST_COPY}{LOOP.replace('= t[0][j];', SUM)}    blocksync();\n", "A(i, j) + A(0, j)"),
    "copies in the rest of the loop": (f"    __shared__ float s[8][64];\n{MORE_COPIES}", "A(i, j) + A(n - 1 - i, j)"),
    "a condition around the loop": (
        f"    if (n > 3) {{\n{LOOP}    }} else {{ thread for (int j = 0; j < 64; j++) {ALL} }}", "A(i, j)",
    ),
}  # fmt: skip


def expected(name: str, a: NDArray[np.float32]) -> NDArray[np.float32]:
    i, more = np.arange(len(a)), np.vstack([a, np.zeros((1, 64), np.float32)])
    match name:
        case "a condition around copies":
            return more[np.where(i % 2 == 0, i, i + 1)]
        case "a pointer into a tile":
            return more[i + 1]
        case "a constant that runs ahead":
            return a[::-1]
        case "a copy before the loop":
            return a + a[:1]
        case "copies in the rest of the loop":
            return a + a[::-1]
        case "a condition around the loop":
            return a
        case _:
            return 2 * a


@pytest.mark.parametrize("name", BODIES)
def test_pipelined_loops_are_right_wherever_they_stand(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body, result = BODIES[name]
    text = filled(AROUND, BODY=body, RESULT=result)
    assert verdict_of(text) == VERIFIED and "f_kernel_bulk<<<" in emitted(text).text
    f = on_standin(text)
    for _ in both_capabilities(monkeypatch):
        for n in (0, 1, 2, 3, 8, 9, 17):
            a, c = small_integers(n, n, 64), unset("float", n, 64)
            f(a, c)
            assert np.array_equal(c, expected(name, a))
