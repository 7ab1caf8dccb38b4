"""A producer is a thread more of the block: it computes the same places of tiles as the threads that use them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.cuda import emitted, on_standin
from tests.support.tiles import both_capabilities, small_integers, unset
from tests.support.verdicts import VERIFIED, verdict_of

ROWS = """#include <optigpu.h>
void f(int g, int w, float a[g * 64][64], float c[g * 64][64]) {
  __requires("A: int * int -> float, 0 <= g, w == 64");
  __reads("a ~> Matrix2(g * 64, 64, A)");
  __writes("c ~> Matrix2(g * 64, 64, fun i j -> A(i, j))");
  float* const d_a = __gmem_malloc2<float>(g * 64, 64);
  float* const d_c = __gmem_malloc2<float>(g * 64, 64);
  memcpy_host_to_device2(d_a, a, g * 64, 64);
  kernel_launch(BLOCKS, 64, 2048);
  kernel_setup_end();
  LOOPS
      #pragma pipeline 2
      for (int k = 0; k < 2; k++) {
        __shared__ float t[8][32];
        tile_load(t, d_a, PLACE, 32 * k);
        pipeline_wait();
        thread for (int j = 0; j < THREADS; j++) if (j < 32) d_c[i][32 * k + j] = t[0][j];
      }
      blocksync();
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(c, d_c, g * 64, 64);
  gmem_free(d_a);
  gmem_free(d_c);
}
"""


EACH = "thread for (int i = 0; i < g * 64; i++) { if (0 <= i) {"
IN_ONE = "thread for (int b = 0; b < 1; b++) { for (int i = 0; i < g * 64; i++) {"


def rows(blocks: str, loops: str = EACH, place: str = "i") -> str:
    threads = "w" if "w" in blocks else "64"
    return ROWS.replace("THREADS", threads).replace("BLOCKS", blocks).replace("LOOPS", loops).replace("PLACE", place)


@pytest.mark.parametrize(
    ("text", "has_producer"),
    [
        (rows("g * 64"), True),
        (rows("g * w"), False),  # whose loops over blocks are counted over all threads of the grid
        (rows("1", IN_ONE, "i + b"), True),  # a loop of one block
    ],
)
def test_tiles_are_copied_from_the_places_of_the_block(
    text: str, has_producer: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert verdict_of(text) == VERIFIED and ("f_kernel_bulk" in emitted(text).text) == has_producer
    run = on_standin(text)
    for _ in both_capabilities(monkeypatch):
        for g in range(3):
            a, c = small_integers(g, g * 64, 64), unset("float", g * 64, 64)
            run(g, 64, a, c)
            assert np.array_equal(a, c)
