"""Kernels whose threads write cells that an array of indices names, all different by an inverse in the contract."""

from __future__ import annotations

import numpy as np
import pytest

import optigpu as og
from optigpu.frontend import parse_text
from optigpu.script.step_errors import StepError

pytestmark = pytest.mark.filterwarnings("ignore")  # no GPU; and nothing checks the inverse at entry

ROWS = """
void scatter(int n, int m, int p[n], float x[n][m], float y[n][m]) {
  __requires("P: int -> int, Q: int -> int, X: int * int -> float");
  __requires("forall i in 0..n, in_range(P(i), 0..n) && Q(P(i)) == i");
  __requires("forall k in 0..n, in_range(Q(k), 0..n) && P(Q(k)) == k");
  __reads("p ~> Matrix1(n, P), x ~> Matrix2(n, m, X)");
  __writes("y ~> Matrix2(n, m, fun k j -> X(Q(k), j))");
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      y[p[i]][j] = x[i][j];
    }
  }
}"""


def test_rows_are_scattered_by_threads() -> None:
    s = og.Script(parse_text(ROWS))
    s.loop.tile("i", 8, outer="bi", tail="guard")
    s.loop.tile("j", 32, outer="bj", tail="guard")
    s.loop.reorder("bi", "bj", "i", "j")
    s.gpu.launch(grid=["bi", "bj"], block=["i", "j"])
    p = np.random.default_rng(1).permutation(50).astype(np.int32)
    x = np.arange(50 * 40, dtype=np.float32).reshape(50, 40)
    y = np.zeros_like(x)
    s.build()(p=p, x=x, y=y)
    assert np.array_equal(y[p], x)


def test_indices_that_may_be_equal_are_rejected() -> None:
    text = ROWS.replace(" && Q(P(i)) == i", "").replace(" && P(Q(k)) == k", "")
    text = text.replace("__writes", "__preserves").replace("Matrix2(n, m, fun k j -> X(Q(k), j))", "Cells2(n, m)")
    s = og.Script(parse_text(text))
    with pytest.raises(StepError) as error:
        s.loop.parallel("i")
    assert "[OG324]" in str(error.value) and "y[p[i]][j] = x[i][j];" in str(error.value)
