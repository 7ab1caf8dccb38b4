"""Tiles that stick out of arrays: loops are reordered across guards, copies hold a value outside, and guards are dropped."""

from __future__ import annotations

import pytest

import optigpu as og
from optigpu import For, If, Write
from optigpu.frontend import parse_text
from optigpu.script.step_errors import StepError
from optigpu.syntax.diagnostic import InputError

PRODUCT = """
void matmul(int m, int n, int p, float a[m][p], float b[p][n], float c[m][n]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __reads("a ~> Matrix2(m, p, A), b ~> Matrix2(p, n, B)");
  __writes("c ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, A(i, k) * B(k, j)))");
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) {
      float sum = 0.0f;
      for (int k = 0; k < p; k++) {
        sum += a[i][k] * b[k][j];
      }
      c[i][j] = sum;
    }
  }
}"""


def tiled(outside_a: object = 0, outside_b: object = 0) -> og.Script:
    """The product in tiles of 8 x 8, with the tiles of a and b in local arrays; all loops still have their guards."""
    s = og.Script(parse_text(PRODUCT))
    for index in "ijk":
        s.loop.tile(index, 8, outer="b" + index, tail="guard")
    s.loop.reorder("bi", "bj", "bk", "k", "i", "j")
    s.matrix.stage("a", at=For("bk") / For("k"), name="ta", outside=outside_a)
    s.matrix.stage("b", at=For("bk") / For("k", body=Write("sum")), name="tb", outside=outside_b)
    return s


def test_loops_are_reordered_across_guards_and_statements_beside_them() -> None:
    s = tiled()
    assert "float sum[8][8];" in s.text()
    assert "if (bi * 8 + i < m && bk * 8 + k < p) {" in s.text()
    s.loop.unguard(For("i", body=Write("sum")).first)
    s.loop.unguard(For("k", body=Write("sum")))
    assert s.text().count("else") == 2 and s.text().count("if (") == 4  # of the two copies, and of the store
    assert s.result.verified


def test_a_launch_of_the_tiles_verifies() -> None:
    s = tiled()
    s.loop.unguard(For("i", body=Write("sum")).first)
    s.loop.unguard(For("k", body=Write("sum")))
    s.loop.reorder("i", "j", "k", at=Write("sum").last)
    s.loop.rename(For("k", body=Write("ta").first), "j")
    s.loop.reorder("i", "j", at=Write("ta").first)
    s.loop.rename(For("k", body=Write("tb").first), "i")
    s.gpu.launch(grid=["bi", "bj"], block=["i", "j"], shared=["ta", "tb"], registers={"sum": 2})
    assert s.result.verified and s.text().count("blocksync();") == 2


@pytest.mark.parametrize(("a", "b"), [(1, 0), (0, 1), ("1.0f", 1)])
def test_another_value_than_zero_on_both_sides_changes_the_sum(a: object, b: object) -> None:
    s = tiled(a, b)
    s.loop.unguard(For("i", body=Write("sum")).first)
    if a == 0 or b == 0:
        s.loop.unguard(For("k", body=Write("sum")))  # one factor is 0 where k is outside
        return
    with pytest.raises(StepError) as error:
        s.loop.unguard(For("k", body=Write("sum")))
    assert "[OG305]" in str(error.value) and "c ~> Matrix2" in str(error.value)


def test_the_store_needs_its_guard() -> None:
    s = tiled()
    s.loop.unguard(For("i", body=Write("sum")).first)
    with pytest.raises(StepError) as error:
        s.loop.unguard(For("i", body=Write("c")))
    assert "[OG302]" in str(error.value) and "c[bi * 8 + i][bj * 8 + j]" in str(error.value)


def test_accumulators_that_were_not_initialised_need_their_guard() -> None:
    s = tiled()
    with pytest.raises(StepError) as error:
        s.loop.unguard(For("k", body=Write("sum")))
    assert "[OG304]" in str(error.value) and "sum[i][j] +=" in str(error.value)


def test_a_copy_without_a_value_outside_is_not_read_there() -> None:
    s = tiled(None, 0)
    s.loop.unguard(For("i", body=Write("sum")).first)
    with pytest.raises(StepError) as error:
        s.loop.unguard(For("k", body=Write("sum")))
    assert "[OG304]" in str(error.value) and "ta" in str(error.value)


def test_a_loop_without_guards_is_refused() -> None:
    s = tiled()
    with pytest.raises(InputError, match="there are no guards in this loop"):
        s.loop.unguard(For("i", body=Write("ta").first))


def test_a_guard_on_data_is_not_moved_into_a_loop_that_changes_it() -> None:
    s = og.Script(
        parse_text("""
        void f(int n, int x[n]) {
          __requires("X: int -> int, n >= 1");
          __consumes("x ~> Matrix1(n, X)");
          __produces("x ~> Matrix1(n, fun j -> X(0) > 0 ? 0 : X(j))");
          for (int i = 0; i < 4; i++) {
            if (x[0] > 0) {
              for (int j = 0; j < n; j++) {
                x[j] = 0;
              }
            }
          }
        }""")
    )
    with pytest.raises(StepError) as error:
        s.loop.reorder("j", "i")
    assert "[OG3" in str(error.value)


def test_a_guard_that_statements_depend_on_stays_with_them() -> None:
    s = og.Script(
        parse_text("""
        void f(int n, float x[n], float a[4][n], float b[4]) {
          __requires("X: int -> float, n >= 1");
          __reads("x ~> Matrix1(n, X)");
          __writes("a ~> Matrix2(4, n, fun i j -> X(j)), b ~> Matrix1(4, fun i -> X(0))");
          for (int bi = 0; bi < 2; bi++) {
            for (int i = 0; i < 3; i++) {
              if (3 * bi + i < 4) {
                float first = x[0];
                for (int j = 0; j < n; j++) {
                  a[3 * bi + i][j] = x[j];
                }
                b[3 * bi + i] = first;
              }
            }
          }
        }""")
    )
    s.loop.reorder("bi", "j", "i")
    assert s.text().count("if (3 * bi + i < 4) {") == 3
    assert s.result.verified


MASKED = """
void f(int n, float a[n], float c[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("c ~> Matrix1(n, fun i -> A(i) > 0 ? A(i) : 0)");
  for (int i = 0; i < n; i++) {
    c[i] = 0.0f;
    if (a[i] > 0.0f) { c[i] = a[i]; }
  }
}"""


def test_a_condition_on_data_is_no_guard() -> None:
    s = og.Script(parse_text(MASKED))
    with pytest.raises(InputError, match="this condition reads memory") as error:
        s.loop.fast_path("i")
    diagnostic = error.value.diagnostic
    assert diagnostic.code == "OG603" and diagnostic.labels[0].loc.line == 8


@pytest.mark.parametrize(
    "test", ["if (b * 4 + i < n) { if (a[b * 4 + i] > 0.0f) {", "if (b * 4 + i < n && a[b * 4 + i] > 0.0f) {{"]
)
def test_a_condition_on_data_stays_in_a_fast_path(test: str) -> None:
    s = og.Script(parse_text(MASKED))
    s.loop.fission(before=If())
    s.loop.tile(For("i").last, 4, outer="b", tail="guard")
    s.instr.replace(For("b") / For("i"), f"for (int i = 0; i < 4; i++) {{ {test} c[b * 4 + i] = a[b * 4 + i]; }} }} }}")
    s.loop.fast_path(For("b") / For("i"))
    assert "if (b * 4 + 3 < n) {" in s.text() and s.text().count("a[b * 4 + i] > 0.0f") == 2
    assert s.text().count("b * 4 + i < n") == 1
