"""The loops that `gpu.launch` makes blocks of: those it is given, or an error at the place of the one that it cannot take."""

from __future__ import annotations

import pytest

import optigpu as og
from optigpu.frontend import parse_text
from optigpu.syntax.diagnostic import InputError


def nest(inside: str, more: str = "", contract: str = "") -> og.Script:
    return og.Script(
        parse_text(f"""void f(int n, float a[n][n][32], float b[n][n][32]) {{
  __writes("a ~> Matrix3(n, n, 32, fun i j k -> 1){contract}");
  for (int bi = 0; bi < n; bi++) {{
    {inside}
    {more}
  }}
}}""")
    )


BJ = "for (int bj = 0; bj < n; bj++) { for (int t = 0; t < 32; t++) { a[bi][bj][t] = 1.0f; } }"


def refused(s: og.Script, grid: list[str], block: list[str]) -> tuple[str, str, int]:
    """The code, the message and the line that an error is about."""
    with pytest.raises(InputError) as error:
        s.gpu.launch(grid=grid, block=block)
    d = error.value.diagnostic
    return d.code, d.message, d.labels[0].loc.line


def test_loops_directly_inside_each_other_are_the_grid() -> None:
    s = nest(BJ)
    s.gpu.launch(grid=["bi", "bj"], block=["t"])
    assert "kernel_launch(n * n, 32, 0);" in s.text()


@pytest.mark.parametrize(
    ("inside", "line"),
    [
        (f"for (int q = 0; q < 1; q++) {{\n{BJ} }}", 5),
        (f"if (bi >= 0) {{\n{BJ} }}", 5),
        (f"{{\n{BJ} }}", 5),
    ],
)
def test_a_grid_loop_that_is_not_directly_inside_is_refused(inside: str, line: int) -> None:
    """It used to become a loop that each block runs."""
    code, message, place = refused(nest(inside), ["bi", "bj"], ["t"])
    assert (code, place) == ("OG603", line)
    assert message == "the loop over `bj` is in grid=, but not directly inside the loop over `bi`"


def test_without_its_name_the_loop_is_run_by_each_block() -> None:
    s = nest(f"for (int q = 0; q < 1; q++) {{ {BJ} }}")
    s.gpu.launch(grid=["bi"], block=["t"])
    assert "kernel_launch(n, 32, 0);" in s.text()


def test_two_grids_side_by_side_are_refused() -> None:
    other = BJ.replace("a[", "b[")
    s = nest(BJ, other, ", b ~> Matrix3(n, n, 32, fun i j k -> 1)")
    code, message, place = refused(s, ["bi", "bj"], ["t"])
    assert (code, place) == ("OG603", 5)
    assert message == "there are 2 loops of the grid side by side in the loop over `bi`"


@pytest.mark.parametrize(("grid", "block"), [(["bi", "bi"], ["t"]), (["bi", "bj"], ["t", "t"])])
def test_a_loop_that_is_named_twice_is_refused(grid: list[str], block: list[str]) -> None:
    code, message, _ = refused(nest(BJ), grid, block)
    assert code == "OG604" and "twice" in message


WIDE = """void f(int n, int64_t m, float a[n][m]) {
  __writes("a ~> Matrix2(n, m, fun i j -> 1)");
  for (int i = 0; i < n; i++) {
    for (int64_t j = 0; j < m; j++) {
      a[i][j] = 1.0f;
    }
  }
}"""


def test_loops_of_64_bits_are_tiled_and_launched() -> None:
    s = og.Script(parse_text(WIDE))
    s.loop.tile("j", 256, outer="bj", tail="guard")
    assert "bj < (m + 255) / 256;" in s.text()
    s.gpu.launch(grid=["i", "bj"], block=["j"])
    assert "kernel_launch(n * ((m + 255) / 256), 256, 0);" in s.text()
    assert "thread for (int j = 0; j < 256; j++) {" in s.text()
