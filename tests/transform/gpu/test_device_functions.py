"""Functions that a loop calls when it becomes a kernel: they are there as device functions, where that is possible."""

from __future__ import annotations

import numpy as np
import pytest

import optigpu as og
from optigpu.frontend import parse_text
from optigpu.schedules import elementwise
from optigpu.script.step_errors import StepError
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.program import Role

pytestmark = pytest.mark.filterwarnings("ignore:no GPU was found")

SWISH = """
float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }
float swish(float x) { return x * sigmoid(x); }
void f(int n, float a[n], float b[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, fun i -> A(i) / (1 + exp(-A(i))))");
  for (int i = 0; i < n; i++) {
    b[i] = swish(a[i]);
  }
}"""

ROWS = """
float row_sum(int n, float x[n]) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __ensures("_Res == Sum(j in 0..n, X(j))");
  float s = 0.0f;
  for (int j = 0; j < n; j++) {
    s += x[j];
  }
  return s;
}
void scale(int n, float c, float x[n]) {
  __requires("X: int -> float");
  __consumes("x ~> Matrix1(n, X)");
  __produces("x ~> Matrix1(n, fun j -> c * X(j))");
  for (int j = 0; j < n; j++) {
    x[j] = c * x[j];
  }
}
void f(int m, int n, float a[m][n], float b[m]) {
  __requires("A: int * int -> float");
  __consumes("a ~> Matrix2(m, n, A)");
  __produces("a ~> Matrix2(m, n, fun i j -> 2 * A(i, j))");
  __writes("b ~> Matrix1(m, fun i -> Sum(j in 0..n, 2 * A(i, j)))");
  for (int i = 0; i < m; i++) {
    scale(n, 2.0f, a[i]);
    b[i] = row_sum(n, a[i]);
  }
}"""

TILE = """
float sum4(float x[4]) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1(4, X)");
  __ensures("_Res == Sum(j in 0..4, X(j))");
  float s = 0.0f;
  for (int j = 0; j < 4; j++) {
    s += x[j];
  }
  return s;
}
void f(int m, float a[m][4], float b[m][4]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(m, 4, A)");
  __writes("b ~> Matrix2(m, 4, fun i j -> Sum(k in 0..4, A(i, k)))");
  for (int i = 0; i < m; i++) {
    float r[4];
    for (int t = 0; t < 4; t++) {
      r[t] = a[i][t];
    }
    for (int t = 0; t < 4; t++) {
      b[i][t] = sum4(r);
    }
  }
}"""


def launched(text: str, threads: int = 64) -> og.Script:
    s = og.Script(parse_text(text), function="f")
    s.loop.tile("i", threads, outer="bi", tail="guard")
    s.gpu.launch(grid=["bi"], block=["i"])
    return s


def test_functions_of_numbers_are_called_by_threads() -> None:
    s = og.Script(parse_text(SWISH), function="f")
    elementwise(s, "i")
    assert s.result.verified
    assert [f.name for f in s.program.functions() if f.role is Role.DEVICE] == ["gpu_sigmoid", "gpu_swish"]
    a = np.linspace(-3, 3, 1001, dtype=np.float32)
    b = np.zeros_like(a)
    s.build()(a=a, b=b)
    assert np.allclose(b, a / (1 + np.exp(-a)), atol=1e-6)


def test_functions_of_rows_read_and_write_the_copy_on_the_device() -> None:
    s = launched(ROWS)
    assert "gpu_scale(n, 2.0f, &d_a[bi * 64 + i][0]);" in s.text()
    assert "memcpy_device_to_host2(a, d_a, m, n);" in s.text()
    a = np.arange(300, dtype=np.float32).reshape(100, 3)
    twice, b = 2 * a, np.zeros(100, dtype=np.float32)
    s.build()(a=a, b=b)
    assert np.array_equal(a, twice) and np.array_equal(b, twice.sum(1))


def test_a_function_that_writes_the_wrong_row_is_rejected() -> None:
    wrong = ROWS.replace("scale(n, 2.0f, a[i]);", "scale(n, 2.0f, a[0]);")
    with pytest.raises(StepError) as error:
        launched(wrong)
    assert "[OG305]" in str(error.value)


def test_a_function_reads_shared_memory_after_a_barrier() -> None:
    s = og.Script(parse_text(TILE), function="f")
    s.gpu.launch(grid=["i"], block=["t"], shared=["r"])
    assert "d_b[i][t] = gpu_sum4(r);" in s.text() and s.text().count("blocksync();") == 1


def test_one_thread_calls_what_the_whole_block_uses() -> None:
    loop = "    for (int t = 0; t < 4; t++) {\n      b[i][t] = "
    text = TILE.replace(loop + "sum4(r)", "    const float q = sum4(r);\n" + loop + "q")
    s = og.Script(parse_text(text), function="f")
    s.gpu.launch(grid=["i"], block=["t"], shared=["r"])
    assert "q[0] = gpu_sum4(r);" in s.text() and s.text().count("blocksync();") == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("float s = 0.0f;", "float* const t = MALLOC1(float, n); float s = 0.0f; free(t);", "it allocates memory"),
        ("float s = 0.0f;", "__admitted(); float s = 0.0f;", "it is assumed to satisfy its contract"),
    ],
)
def test_a_function_for_the_host_is_refused_at_its_call(old: str, new: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        launched(ROWS.replace(old, new))
    diagnostic = error.value.diagnostic
    assert diagnostic.code == "OG603" and f"`row_sum` cannot be a device function: {message}" in diagnostic.message
    assert diagnostic.help == 's.function.inline("row_sum") replaces the call by the body'


def test_a_function_of_matrices_is_inlined_instead() -> None:
    text = """
float total(int h, int w, float x[h][w]) {
  __requires("X: int * int -> float");
  __reads("x ~> Matrix2(h, w, X)");
  __ensures("_Res == Sum(j in 0..h, Sum(k in 0..w, X(j, k)))");
  float s = 0.0f;
  for (int j = 0; j < h; j++) {
    for (int k = 0; k < w; k++) {
      s += x[j][k];
    }
  }
  return s;
}
void f(int m, int h, int w, float a[m][h][w], float b[m]) {
  __requires("A: int * int * int -> float");
  __reads("a ~> Matrix3(m, h, w, A)");
  __writes("b ~> Matrix1(m, fun i -> Sum(j in 0..h, Sum(k in 0..w, A(i, j, k))))");
  for (int i = 0; i < m; i++) {
    b[i] = total(h, w, a[i]);
  }
}"""
    with pytest.raises(InputError, match="`total` takes a part of several dimensions"):
        launched(text)
    s = og.Script(parse_text(text), function="f")
    s.function.inline("total")
    s.loop.tile("i", 64, outer="bi", tail="guard")
    s.gpu.launch(grid=["bi"], block=["i"])
    assert s.result.verified
