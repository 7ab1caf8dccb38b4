"""`gpu.swizzle_blocks`: blocks that run at the same time compute tiles that are near each other."""

from __future__ import annotations

import numpy as np
import pytest

import optigpu as og
from optigpu.frontend import parse_text
from optigpu.syntax.diagnostic import InputError
from tests.support.cuda import on_standin
from tests.support.tiles import small_integers, unset

TRANSPOSED = """#include <optigpu.h>
void transposed(int n, int m, float a[n][m], float b[m][n]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(n, m, A)");
  __writes("b ~> Matrix2(m, n, fun i j -> A(j, i))");
  for (int x = 0; x < n; x++) {
    for (int y = 0; y < m; y++) {
      for (int t = 0; t < 1; t++) b[y][x] = a[x][y];
    }
  }
}
"""


def swizzled(by: int = 4, text: str = TRANSPOSED) -> og.Script:
    s = og.Script(parse_text(text, "f.c"))
    s.gpu.swizzle_blocks("x", "y", by=by)
    return s


def test_rows_of_blocks_are_done_column_by_column() -> None:
    s = og.Script(parse_text(TRANSPOSED, "f.c"))
    turned = s.gpu.swizzle_blocks("x", "y", by=4)
    lines = [line.strip() for line in s.text().splitlines()]
    loops = [line for line in lines if line.startswith("for")][:3]
    assert [line.split("; ")[0] for line in loops] == ["for (int bx = 0", "for (int y = 0", "for (int x = 0"]
    assert "x < 4" in loops[2] and "if (bx * 4 + x < n) {" in lines
    assert [loop.statement() for loop in turned.nest] == [s.at(s.find(x, "for")) for x in ("bx", "y", "x")]
    assert s.result.verified


@pytest.mark.parametrize("by", [2, 8])
def test_blocks_in_turns_compute_the_same(by: int) -> None:
    s = swizzled(by)
    s.gpu.launch(grid=["bx", "y", "x"], block=["t"])
    assert s.result.verified
    f = on_standin(s.program)
    for n, m in ((1, 1), (8, 3), (9, 5), (7, 2), (0, 3), (3, 0)):
        a, b = small_integers(n + m, n, m), unset("float", m, n)
        f(a, b)
        assert np.array_equal(b, a.T)


def test_rows_that_are_divided_need_no_guard() -> None:
    text = (
        TRANSPOSED.replace("x < n;", "x < 32;")
        .replace("A: int", "n == 32, A: int")
        .replace("n == 32, A: int * int -> float", "A: int * int -> float, n == 32")
    )
    assert "if (" not in swizzled(8, text).text() and "x < 8" in swizzled(8, text).text()


@pytest.mark.parametrize("by", [1, 0, -4])
def test_an_order_that_is_no_other_is_refused(by: int) -> None:
    with pytest.raises(InputError, match=f"{by} rows at a time are no other order") as e:
        swizzled(by)
    assert e.value.diagnostic.code == "OG604"


def test_the_rows_can_be_the_inner_loop() -> None:
    s = og.Script(parse_text(TRANSPOSED, "f.c"))
    turned = s.gpu.swizzle_blocks("y", "x", by=2)
    assert [loop.statement() for loop in turned.nest] == [s.at(s.find(x, "for")) for x in ("by", "x", "y")]
    assert s.result.verified


def test_loops_that_are_not_nested_are_refused() -> None:
    beside = TRANSPOSED.replace("      for (int t", "      b[y][x] = 0.0f;\n      for (int t")
    beside = beside.replace("    for (int y", "    for (int z = 0; z < 3; z++) { }\n    for (int y")
    for text, rows, cols, code in (
        (TRANSPOSED, "x", "q", "OG601"),
        (TRANSPOSED, "q", "y", "OG601"),
        (beside, "z", "y", "OG6"),
    ):
        s = og.Script(parse_text(text, "f.c"))
        with pytest.raises(InputError) as e:
            s.gpu.swizzle_blocks(rows, cols)
        assert e.value.diagnostic.code.startswith(code) and len(s.steps) == 1


def test_an_order_that_the_result_depends_on_is_rejected() -> None:
    """Each iteration reads what the one before has written: the loop over columns is not to be taken out of that over rows."""
    text = """void f(int n, float a[n + 1][9]) {
      __requires("A: int * int -> float, n >= 0");
      __consumes("a ~> Matrix2(n + 1, 9, A)");
      __produces("a ~> Cells2(n + 1, 9)");
      for (int x = 0; x < n; x++) {
        for (int y = 0; y < 8; y++) {
          a[x + 1][y] = a[x][y + 1];
        }
      }
    }"""
    s = og.Script(parse_text(text, "f.c"))
    with pytest.raises(og.StepError) as e:
        s.gpu.swizzle_blocks("x", "y", by=4)
    assert e.value.diagnostic.code == "OG302" and len(s.steps) == 1 and s.result.verified
