"""Windows of convolutions: one index moves with several loops, and `matrix.stage` copies the window, not a matrix of all uses."""

from __future__ import annotations

import pytest

import optigpu as og
from optigpu import For, Write
from optigpu.frontend import parse_text
from optigpu.script.step_errors import StepError
from optigpu.syntax.diagnostic import InputError


def convolution(index: str, size: str, guard: str = "", more: str = "") -> og.Script:
    """y[o][i] is the sum of x[q][index] * k[o][q][u] over q and u, where the guard holds."""
    value = f"X(q, {index}) * K(o, q, u)"
    summand = f"{guard} ? {value} : 0" if guard else value
    add = f"sum += x[q][{index}] * k[o][q][u];"
    statement = f"if ({guard}) {{ {add} }}" if guard else add
    return og.Script(
        parse_text(f"""
        void f(int c, int m, int n, float x[c][{size}], float k[m][c][3], float y[m][n]) {{
          __requires("X: int * int -> float, K: int * int * int -> float, n >= 0 {more}");
          __reads("x ~> Matrix2(c, {size}, X), k ~> Matrix3(m, c, 3, K)");
          __writes("y ~> Matrix2(m, n, fun o i -> Sum(q in 0..c, Sum(u in 0..3, {summand})))");
          for (int o = 0; o < m; o++) {{
            for (int i = 0; i < n; i++) {{
              float sum = 0.0f;
              for (int q = 0; q < c; q++) {{
                for (int u = 0; u < 3; u++) {{
                  {statement}
                }}
              }}
              y[o][i] = sum;
            }}
          }}
        }}""")
    )


def tiled(s: og.Script, tail: str = "guard") -> og.Script:
    s.loop.tile("i", 16, outer="b", tail=tail)
    s.loop.reorder("o", "b", "q", "i")
    return s


@pytest.mark.parametrize(
    ("index", "size", "extent", "first", "offset"),
    [
        ("i + u", "n + 2", 18, "16 * b + i", "i + u"),
        ("2 * i + u", "2 * n + 1", 33, "32 * b + i", "2 * i + u"),
        ("i + 2 * u", "n + 4", 20, "16 * b + i", "i + 2 * u"),
        ("i - u + 2", "n + 2", 18, "16 * b + i", "i + 2 - u"),
    ],
)
def test_the_copy_is_the_window(index: str, size: str, extent: int, first: str, offset: str) -> None:
    s = tiled(convolution(index, size, more=", n % 16 == 0"), "divides")
    s.matrix.stage("x", at=For("q") / For("i"), name="t")
    text = s.text()
    assert f"float t[{extent}];" in text and f"t[i] = x[q][{first}];" in text and f"t[{offset}] * k[o][q][u]" in text


PADDING = "0 <= i + u - 1 && i + u - 1 < n"


def padded() -> og.Script:
    s = tiled(convolution("i + u - 1", "n", PADDING))
    s.matrix.stage("x", at=For("q") / For("i"), name="t", outside=0)
    return s


def test_padding_is_zero_in_the_copy() -> None:
    s = padded()
    assert "if (0 <= 16 * b + i - 1 && 16 * b + i - 1 < n) {" in s.text() and "t[i] = 0.0f;" in s.text()
    s.loop.unguard(For("i", body=Write("sum")).all)
    s.loop.tile(For("i", body=Write("t").first), 16, outer="r", tail="guard")
    s.gpu.launch(grid=["o", "b"], block=["i"], shared=["t"], registers={"sum": 1})
    assert "if (0 <=" in s.text() and s.text().count("blocksync();") == 2


def test_padding_that_is_not_zero_is_rejected() -> None:
    s = tiled(convolution("i + u - 1", "n", PADDING))
    s.matrix.stage("x", at=For("q") / For("i"), name="t", outside=1)
    with pytest.raises(StepError) as error:
        s.loop.unguard(For("i", body=Write("sum")).all)
    assert "[OG305]" in str(error.value) and "y ~> Matrix2" in str(error.value)


def test_a_window_that_is_left_out_is_not_read() -> None:
    s = tiled(convolution("i + u - 1", "n", PADDING))
    s.matrix.stage("x", at=For("q") / For("i"), name="t")
    with pytest.raises(StepError) as error:
        s.loop.unguard(For("i", body=Write("sum")).all)
    assert "[OG304]" in str(error.value)


def test_an_index_that_does_not_move_has_no_dimension() -> None:
    s = tiled(convolution("i + u", "n + 2", more=", n % 16 == 0"), "divides")
    s.matrix.stage("x", at=For("b") / For("q"), name="t")
    assert "float* const t = MALLOC2(float, c, 18);" in s.text() and "t[q][i] = x[q][16 * b + i];" in s.text()


def test_an_index_that_is_no_sum_of_loop_indices_is_refused() -> None:
    s = tiled(convolution("i * u", "3 * n", more=", n % 16 == 0"), "divides")
    with pytest.raises(InputError, match="is not a sum of multiples of loop indices"):
        s.matrix.stage("x", at=For("q") / For("i"), name="t")


@pytest.mark.parametrize("rank", [2, 3, 4])
def test_all_loops_of_an_array_become_one(rank: int) -> None:
    indices = [f"i{d}" for d in range(rank)]
    sizes = [f"n{d}" for d in range(rank)]
    element = "".join(f"[{i}]" for i in indices)
    loops = "".join(f"for (int {i} = 0; {i} < {n}; {i}++) {{ " for i, n in zip(indices, sizes))
    dims = "".join(f"[{n}]" for n in sizes)
    s = og.Script(
        parse_text(f"""
        void f({", ".join(f"int {n}" for n in sizes)}, float a{dims}) {{
          __writes("a ~> Matrix{rank}({", ".join(sizes)}, fun {" ".join(indices)} -> i0)");
          {loops} a{element} = (float)i0; {"}" * rank}
        }}""")
    )
    s.loop.collapse("i0", index="t", levels=rank)
    assert f"t < (int64_t){' * '.join(sizes)}; t++" in s.text()
    s.loop.tile("t", 256, outer="b", tail="guard")
    s.gpu.launch(grid=["b"], block=["t"])
    assert "thread for (int t = 0; t < 256; t++) {" in s.text()


def test_some_loops_of_an_array_may_have_too_many_iterations_together() -> None:
    """If the last size is 0, the array is in memory whatever the product of the others is."""
    s = og.Script(
        parse_text("""
        void f(int n0, int n1, int n2, int n3, float a[n0][n1][n2][n3]) {
          __writes("a ~> Matrix4(n0, n1, n2, n3, fun i j k l -> 1)");
          for (int i = 0; i < n0; i++) { for (int j = 0; j < n1; j++) { for (int k = 0; k < n2; k++) {
            for (int l = 0; l < n3; l++) { a[i][j][k][l] = 1.0f; } } } }
        }""")
    )
    with pytest.raises(StepError) as error:
        s.loop.collapse("i", index="t", levels=3)
    assert "[OG336]" in str(error.value) and "for (int64_t t = 0;" in str(error.value)


def test_a_collapse_of_one_loop_or_of_dependent_loops_is_refused() -> None:
    s = og.Script(
        parse_text("""
        void f(float a[8][8]) {
          __consumes("a ~> Matrix2(8, 8, fun i j -> 0)");
          __produces("a ~> Matrix2(8, 8, fun i j -> 0)");
          for (int i = 0; i < 8; i++) { for (int j = 0; j < i; j++) { a[i][j] = 0.0f; } }
        }""")
    )
    with pytest.raises(InputError, match="at least two loops become one"):
        s.loop.collapse("i", levels=1)
    with pytest.raises(InputError, match="there must be exactly one loop inside"):
        s.loop.collapse("i", levels=3)
    with pytest.raises(InputError, match="the bounds of the loop over `j` depend on `i`"):
        s.loop.collapse("i")
