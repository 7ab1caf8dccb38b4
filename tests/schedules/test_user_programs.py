"""Programs as people write them: with names that schedules use too, several results in one loop, results that are returned."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import optigpu as og
from optigpu.frontend import parse_text
from optigpu.runtime.cuda import CudaFunction
from optigpu.schedules import auto
from optigpu.schedules.new_names import NewNames, unused_prefix
from optigpu.schedules.proposals import Proposal
from optigpu.syntax.diagnostic import InputError
from optigpu.transform.tools.refusal import refuse
from tests.conftest import ROOT

HEAD = "#include <optigpu.h>\n"
MAPPED = """void f(int h, int w, float A[h][w], float B[h][w]) {
  __requires("X: int * int -> float");
  __reads("A ~> Matrix2(h, w, X)");
  __writes("B ~> Matrix2(h, w, fun i j -> 2.0f * X(i, j))");
  for (int I = 0; I < h; I++)
    for (int J = 0; J < w; J++) {
      const float T = 2.0f * A[I][J];
      B[I][J] = T;
    }
}"""
ROWS = """void f(int h, int w, float A[h][w], float B[h]) {
  __requires("X: int * int -> float");
  __reads("A ~> Matrix2(h, w, X)");
  __writes("B ~> Matrix1(h, fun i -> 2.0f * Sum(k in 0..w, X(i, k)))");
  for (int I = 0; I < h; I++) {
    float S = 0.0f;
    for (int J = 0; J < w; J++) S += A[I][J];
    const float T = 2.0f * S;
    B[I] = T;
  }
}"""
TOTAL = """void f(int W, float A[W], float B[1]) {
  __requires("X: int -> float");
  __reads("A ~> Matrix1(W, X)");
  __writes("B ~> Matrix1(1, fun i -> Sum(k in 0..W, X(k)))");
  float S = 0.0f;
  for (int J = 0; J < W; J++) S += A[J];
  B[0] = S;
}"""
SCANNED = """void f(int W, float A[W], float B[W]) {
  __requires("X: int -> float");
  __reads("A ~> Matrix1(W, X)");
  __writes("B ~> Matrix1(W, fun i -> Sum(k in 0..i + 1, X(k)))");
  float S = 0.0f;
  for (int J = 0; J < W; J++) {
    S += A[J];
    B[J] = S;
  }
}"""
TRANSPOSED = """void f(int h, int w, float A[h][w], float B[w][h]) {
  __requires("X: int * int -> float");
  __reads("A ~> Matrix2(h, w, X)");
  __writes("B ~> Matrix2(w, h, fun i j -> X(j, i))");
  for (int I = 0; I < w; I++)
    for (int J = 0; J < h; J++)
      B[I][J] = A[J][I];
}"""
COLUMNS = """void f(int h, int w, float A[h][w], float B[w]) {
  __requires("X: int * int -> float, 0 <= h");
  __reads("A ~> Matrix2(h, w, X)");
  __writes("B ~> Matrix1(w, fun j -> Sum(k in 0..h, X(k, j)))");
  for (int J = 0; J < w; J++) {
    float S = 0.0f;
    for (int I = 0; I < h; I++) S += A[I][J];
    B[J] = S;
  }
}"""
PRODUCT = """void f(int m, int n, int p, float A[m][p], float B[p][n], float C[m][n]) {
  __requires("X: int * int -> float, Y: int * int -> float");
  __reads("A ~> Matrix2(m, p, X), B ~> Matrix2(p, n, Y)");
  __writes("C ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, X(i, k) * Y(k, j)))");
  for (int I = 0; I < m; I++)
    for (int J = 0; J < n; J++) {
      float S = 0.0f;
      for (int K = 0; K < p; K++) S += A[I][K] * B[K][J];
      C[I][J] = S;
    }
}"""
NAMES = {
    "elementwise": (MAPPED, {"A": "t", "I": "block", "B": "lane", "T": "u"}),
    "rows": (ROWS, {"A": "strip", "J": "t", "S": "u", "T": "lane", "I": "S_parts"}),
    "total": (TOTAL, {"A": "v", "B": "part", "J": "t", "S": "own", "W": "k"}),
    "scan": (SCANNED, {"A": "x", "B": "b", "J": "t", "S": "g", "W": "w"}),
    "transpose": (TRANSPOSED, {"A": "tile", "B": "u", "I": "tile_J"}),
    "columns": (COLUMNS, {"A": "shares", "B": "p", "J": "q", "I": "u", "S": "first"}),
    "matmul": (PRODUCT, {"A": "left", "B": "right", "I": "br", "J": "tc", "K": "chunk"}),
}


def renamed(text: str, names: dict[str, str]) -> str:
    return re.sub(r"\b[A-Z]\b", lambda m: names.get(m[0], m[0]), text)


def script(text: str) -> og.Script:
    return og.Script(parse_text(HEAD + text, "f.c"))


def built(s: og.Script) -> CudaFunction:
    return s.built_cuda().function(standin=True)


def numbers(*shape: int, seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("schedule", [pytest.param(x, marks=pytest.mark.slow if x == "matmul" else ()) for x in NAMES])
def test_names_of_a_schedule_are_no_names_of_the_program(schedule: str) -> None:
    text, names = NAMES[schedule]
    s = script(renamed(text, names))
    (chosen,) = auto(s, **({"versions": False} if schedule == "matmul" else {})).proposals
    assert chosen.schedule.__name__ == schedule and s.result.verified


def test_new_names_are_told_apart_and_stay() -> None:
    s = script(renamed(ROWS, {"J": "t", "S": "t1"}))
    new = NewNames(s, "I")
    assert (new.t, new.u, new["t"], new.t2) == ("t2", "u", "t2", "t3")
    assert unused_prefix(s, "I", "", ["u", "v"]) == "" and unused_prefix(s, "I", "", ["t"]) == "m_"
    s = script(renamed(ROWS, {"J": "t", "S": "m_t", "T": "m1_t"}))
    assert unused_prefix(s, "I", "", ["t"]) == "m2_"


# Several results

SEVERAL = ROOT / "benchmarks" / "gpu" / "plain" / "norm_backward.c"


@pytest.fixture(scope="module")
def several() -> CudaFunction:
    s = og.Script(SEVERAL)
    (chosen,) = auto(s, held=[og.schedules.HeldRows(256, 32)]).proposals
    assert chosen.schedule is og.schedules.row_norm and s.result.verified and not s.result.assumptions
    return built(s)


@pytest.mark.parametrize(("h", "w"), [(0, 3), (1, 1), (3, 5), (2, 256), (2, 257), (1, 4100), (1, 8195)])
def test_rows_have_several_sums_and_results(several: CudaFunction, h: int, w: int) -> None:
    x, d = numbers(h, w), numbers(h, w, seed=1)
    y, z, saved = several(x=x, d=d)
    a, b = x.astype(np.float64), d.astype(np.float64)
    squares, dot = (a * a).sum(1, keepdims=True), (a * b).sum(1, keepdims=True)
    assert np.allclose(y, b * squares - a, rtol=1e-4, atol=1e-3) and np.allclose(z, a * dot, rtol=1e-3, atol=1e-3)
    assert np.allclose(saved, squares[:, 0], rtol=1e-4)


LOG_SOFTMAX = """void f(int h, int w, float x[h][w], float y[h][w]) {
  __requires("X: int * int -> float, w > 0");
  __reads("x ~> Matrix2(h, w, X)");
  __writes("y ~> Matrix2(h, w, fun i j -> X(i, j) - log(Sum(k in 0..w, exp(X(i, k)))))");
  for (int i = 0; i < h; i++) {
    float best = -INFINITY;
    for (int j = 0; j < w; j++) {
      const float e = x[i][j];
      best = fmaxf(best, e);
    }
    float sum = 0.0f;
    for (int j = 0; j < w; j++) sum += expf(x[i][j] - best);
    for (int j = 0; j < w; j++) y[i][j] = x[i][j] - (best + logf(sum));
  }
}"""


@pytest.fixture(scope="module")
def log_softmax() -> CudaFunction:
    s = script(LOG_SOFTMAX)
    (chosen,) = auto(s, held=[og.schedules.HeldRows(128, 32)]).proposals
    assert chosen.schedule is og.schedules.row_norm and chosen.options["online"] and s.result.verified
    return built(s)


@pytest.mark.parametrize("w", [1, 100, 128, 129, 4096, 5000, 20_000])
def test_maxima_start_at_an_element_and_rows_may_be_masked(log_softmax: CudaFunction, w: int) -> None:
    """On a machine a row may have elements -INFINITY, where the difference of two of them is NaN."""
    for masked in (slice(0, 0), slice(0, w // 2), slice(w // 2 + 1, w), slice(1, w, 2), slice(0, w - 1)):
        x = numbers(2, w)
        x[:, masked] = -np.inf
        a = x.astype(np.float64)
        wanted = a - np.log(np.exp(a).sum(1, keepdims=True))
        assert np.allclose(log_softmax(x), wanted, rtol=1e-4, atol=1e-4)


def test_a_maximum_that_is_stored_may_stay_infinite() -> None:
    text = """void f(int h, int w, float x[h][w], float y[h]) {
  __requires("X: int * int -> float");
  __reads("x ~> Matrix2(h, w, X)");
  __writes("y ~> Matrix1(h, fun i -> w > 0 ? Max(k in 0..w, X(i, k)) : -INFINITY)");
  for (int i = 0; i < h; i++) {
    float best = -INFINITY;
    for (int j = 0; j < w; j++) best = fmaxf(best, x[i][j]);
    y[i] = best;
  }
}"""
    s = script(text)
    (chosen,) = auto(s).proposals
    assert chosen.schedule is og.schedules.rows and s.result.verified
    f = built(s)
    assert np.array_equal(f(np.zeros((3, 0), np.float32)), np.full(3, -np.inf, np.float32))
    assert np.array_equal(f(x := numbers(3, 700)), x.max(1))


# Results that are returned


@pytest.mark.parametrize("name", ["sum", "dot", "maximum"])
def test_what_is_returned_is_computed_on_the_gpu(name: str) -> None:
    s = og.Script(ROOT / "examples" / f"{name}.c")
    (chosen,) = auto(s).proposals
    assert chosen.schedule is og.schedules.total and "result" not in chosen.options and s.result.verified
    f = built(s)
    for n in (1, 2, 255, 4097, 1_000_003):
        a = numbers(n)
        wanted: Any = a.max() if name == "maximum" else (a if name == "sum" else a * a).sum(dtype=np.float64)
        assert np.isclose(f(*[a] * (2 if name == "dot" else 1)), wanted, rtol=1e-4, atol=1e-2)


MEAN = """float f(int n, float a[n]) {
  __requires("A: int -> float, n > 0");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Sum(k in 0..n, A(k)) / n");
  float sum = 0.0f;
  for (int i = 0; i < n; i++) sum += a[i];
  const float mean = sum / n;
  return mean;
}"""


def test_a_variable_that_is_returned_is_freed_after_it_is_read() -> None:
    s = script(MEAN)
    (chosen,) = auto(s).proposals
    assert chosen.options["result"] == "mean" and s.result.verified
    assert built(s)(np.arange(5, dtype=np.float32)) == 2


def test_a_product_is_not_tried() -> None:
    with pytest.raises(InputError, match="no schedule fits") as e:
        auto(script(TOTAL.replace("S += A", "S *= A").replace("Sum(k", "Prod(k").replace("S = 0", "S = 1")))
    assert "it is a product" in dict(e.value.diagnostic.notes)["total"]


def test_a_function_that_returns_nothing_has_no_returned_sum() -> None:
    with pytest.raises(InputError, match="the function returns nothing after the loop"):
        og.schedules.total(script(TOTAL), "J", var="S")


# What is said


def test_a_slow_choice_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def rows_of_blocks(s: og.Script) -> None:
        raise refuse("a row is too long")

    module = importlib.import_module("optigpu.schedules.auto")
    proposers = (lambda s: Proposal(rows_of_blocks, (), {}), module.propose_elements)
    monkeypatch.setattr(module, "PROPOSERS", proposers)
    why = r"a thread computes each result by itself, elements\(s, \"I\"\), since rows_of_blocks\(s\) fails: .* a row is too long"
    with pytest.warns(UserWarning, match=why) as told:
        auto(script(ROWS))
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        monkeypatch.setattr(module, "PROPOSERS", proposers[1:])
        auto(script(ROWS))


def test_what_is_no_script_is_refused() -> None:
    for call in (lambda: auto("f.c"), lambda: og.schedules.rows("f.c", "i", loop="j", reductions=[])):  # type: ignore[arg-type]
        with pytest.raises(InputError, match="takes a script, not str"):
            call()


def held(s: og.Script, form: og.schedules.HeldRows) -> None:
    og.schedules.row_norm(s, "I", loop="J", reductions=["S"], outputs=[], inputs=["A"], held=[form])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: og.schedules.rows(s, "I", loop="J", reductions=["S"], threads=100), "threads=100 is no power of two"),
        (lambda s: og.schedules.rows(s, "I", loop="J", reductions=["S"], vector=0), "vector=0 is no power of two"),
        (lambda s: og.schedules.rows(s, "I", loop="J", reductions=[]), "name the variables that are reduced"),
        (lambda s: og.schedules.rows(s, "I", loop="J", reductions=["S"], inputs=["Z"]), "`Z` is read by none of these loops"),
        (lambda s: og.schedules.rows(s, "I", loop="J", reductions=["S"], online=True), "online=True is for a maximum and a sum"),
        (lambda s: held(s, og.schedules.HeldRows(64, 0)), "0 threads do not hold 64 elements"),
        (lambda s: held(s, og.schedules.HeldRows(64, 32, 0)), "in equal parts of whole vectors"),
        (lambda s: og.schedules.matmul(s, each=(0, 8)), r"each=\(0, 8\) has a size that is not positive"),
        (lambda s: og.schedules.matmul(s, precision="tf32x3", warp=(0, 0)), r"warp=\(0, 0\) has a size that is not positive"),
    ],
)  # fmt: skip
def test_impossible_numbers_are_refused(call: Any, message: str) -> None:
    s = script(PRODUCT if "size" in message else ROWS)
    with pytest.raises(InputError, match=message):
        call(s)
    assert len(s.steps) == 1


CHOICES = """
import sys
import optigpu as og
from optigpu.frontend import parse_text
s = og.Script(parse_text(sys.stdin.read(), "f.c"))
print(og.schedules.auto(s, versions=False), s.text())
"""


def test_the_choice_is_the_same_in_every_process() -> None:
    def run(seed: str) -> str:
        env = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", CHOICES],
            input=SEVERAL.read_text(encoding="utf-8"),
            env=env,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    assert run("1") == run("2") and "row_norm" in run("3")
