"""`schedules.matmul`: one line for products of any layout, size and batch, with what is computed of each sum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import optigpu as og
from optigpu.frontend import parse_text
from optigpu.runtime.cuda import CudaFunction
from optigpu.schedules import contraction, matmul
from optigpu.syntax.diagnostic import InputError
from tests.conftest import ROOT

# c = max(alpha * (a bᵀ + bias), 0): the sum starts with the bias, and the rows of a are `as` elements apart
LINEAR = """#include <optigpu.h>
void linear(int m, int n, int p, int as, float alpha, float a[m][as], float b[n][p], float bias[n], float c[m][n]) {
  __requires("A: int * int -> float, B: int * int -> float, Z: int -> float, p <= as");
  __reads("a ~> Matrix2(m, as, A), b ~> Matrix2(n, p, B), bias ~> Matrix1(n, Z)");
  __writes("c ~> Matrix2(m, n, fun i j -> max(alpha * (Z(j) + Sum(k in 0..p, A(i, k) * B(j, k))), 0.0f))");
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) {
      float sum = bias[j];
      for (int k = 0; k < p; k++) sum += a[i][k] * b[j][k];
      c[i][j] = fmaxf(alpha * sum, 0.0f);
    }
  }
}
"""
# c[t] = a[t]ᵀ b[t]ᵀ: the factors are in the other order, and no loop is named as usual
BATCHED = """#include <optigpu.h>
void batched(int batch, int m, int n, int p, float a[batch][p][m], float b[batch][n][p], float c[batch][m][n]) {
  __requires("A: int * int * int -> float, B: int * int * int -> float");
  __reads("a ~> Matrix3(batch, p, m, A), b ~> Matrix3(batch, n, p, B)");
  __writes("c ~> Matrix3(batch, m, n, fun t y x -> Sum(e in 0..p, B(t, x, e) * A(t, e, y)))");
  for (int t = 0; t < batch; t++) {
    for (int y = 0; y < m; y++) {
      for (int x = 0; x < n; x++) {
        float dot = 0.0f;
        for (int e = 0; e < p; e++) dot += b[t][x][e] * a[t][e][y];
        c[t][y][x] = dot;
      }
    }
  }
}
"""
PRODUCT = ROOT / "examples" / "matmul.c"


def script(text: str) -> og.Script:
    return og.Script(parse_text(text, "f.c"))


def built(s: og.Script) -> CudaFunction:
    return s.built_cuda().function(standin=True)


def numbers(rng: np.random.Generator, *shape: int) -> Any:
    return rng.standard_normal(shape).astype(np.float32)


@pytest.fixture(scope="module")
def linear() -> CudaFunction:
    s = script(LINEAR)
    matmul(s, few=None)
    assert len(s.steps) == 2 and s.result.verified and not s.result.assumptions
    text = s.text()
    assert "if (as % 4 == 0 && m % 128 == 0 && n % 128 == 0 && p % 16 == 0 && p > 0)" in text
    return built(s)


@pytest.mark.parametrize(
    ("m", "n", "p"),
    [
        (0, 5, 3), (5, 0, 3), (5, 3, 0), (1, 1, 1),  # few tiles
        (64, 64, 16), (65, 63, 17), (384, 128, 16), (128, 257, 1),
        (256, 256, 16), (256, 384, 48),  # whole tiles
        (256, 256, 0), (256, 256, 15), (257, 256, 16), (255, 257, 16), (129, 129, 4), (513, 130, 33),  # others
    ],
)  # fmt: skip
def test_a_linear_layer_of_any_size(linear: CudaFunction, m: int, n: int, p: int) -> None:
    rng = np.random.default_rng(m + n + p)
    for more in (0, 3, 4):
        a, b, bias, c = (
            numbers(rng, m, p + more),
            numbers(rng, n, p),
            numbers(rng, n),
            np.full((m, n), np.nan, np.float32),
        )
        linear(alpha=0.5, a=a, b=b, bias=bias, c=c)
        wanted = np.maximum(0.5 * (a[:, :p].astype(np.float64) @ b.T.astype(np.float64) + bias), 0.0)
        assert np.allclose(c, wanted, rtol=1e-4, atol=1e-4)


def test_a_batch_of_transposed_factors() -> None:
    s = script(BATCHED)
    matmul(s, tile=(32, 64, 8), each=(4, 4), vector=[], versions=False)
    f = built(s)
    for batch, m, n, p in ((0, 2, 2, 2), (2, 0, 3, 1), (1, 1, 1, 1), (3, 64, 128, 16), (2, 65, 67, 19)):
        rng = np.random.default_rng(batch + m)
        a, b, c = numbers(rng, batch, p, m), numbers(rng, batch, n, p), np.full((batch, m, n), np.nan, np.float32)
        f(a=a, b=b, c=c)
        wanted = a.astype(np.float64).transpose(0, 2, 1) @ b.astype(np.float64).transpose(0, 2, 1)
        assert np.allclose(c, wanted, rtol=1e-4, atol=1e-4)


def test_names_that_do_not_fit_are_errors_with_those_that_do() -> None:
    for given, why in (
        ({"rows": "j"}, 'rows="j" is none of the names that fit: i'),
        ({"cols": "t"}, 'cols="t" is none of the names that fit: i, j'),
        ({"inner": "i"}, 'inner="i" is none of the names that fit: k'),
        ({"left": "b"}, 'left="b" is none of the names that fit: a'),
        ({"out": "d"}, 'out="d" is none of the names that fit: c'),
        ({"total": "acc"}, 'total="acc" is none of the names that fit: sum'),
        ({"grid": ["t"]}, "grid=['t'], and the loops that are left are none"),
    ):
        s = og.Script(PRODUCT)
        with pytest.raises(InputError) as e:
            matmul(s, **given)  # type: ignore[arg-type]
        assert e.value.diagnostic.code == "OG601" and why in e.value.diagnostic.message
        assert len(s.steps) == 1


def test_what_is_no_product_is_refused_with_the_reason() -> None:
    for program, why in (
        ("examples/vector_add.c", "there are no two nested loops over independent results"),
        ("examples/transpose.c", "a result is not one sum"),
        ("examples/kernelbench/004_matrix_vector.c", "there are no two nested loops over independent results"),
        ("examples/kernelbench/082_conv_depthwise_2d_square.c", "that `f` depends on and `x` does not"),
    ):
        with pytest.raises(InputError, match=why) as e:
            matmul(og.Script(ROOT / program))
        assert e.value.diagnostic.code == "OG603"
    with pytest.raises(InputError, match='precision="half" is not known') as e:
        matmul(og.Script(PRODUCT), precision="half")
    assert e.value.diagnostic.code == "OG604"


def test_a_product_that_the_contract_does_not_promise_is_rejected() -> None:
    """The schedule never makes a program right that is wrong: it does not get past the first line."""
    with pytest.raises(og.StepError):
        script(LINEAR.replace("b[j][k];", "b[j][0];"))


def test_tiles_that_need_not_divide_the_sizes_are_rejected() -> None:
    s = og.Script(PRODUCT)
    with pytest.raises(og.StepError, match="OG311"):
        contraction(s, rows="i", cols="j", inner="k", left="a", right="b", out="c", divided=True)
    assert len(s.steps) == 1
