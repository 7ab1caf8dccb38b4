"""Memory-bound schedules: verified, right at the boundaries of their versions, refused or rejected where they do not fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import optigpu as og
from optigpu import schedules
from optigpu.frontend import parse_text
from optigpu.runtime.cuda import CudaFunction
from optigpu.script.step_errors import StepError
from optigpu.syntax.diagnostic import InputError
from tests.conftest import ROOT

KERNELBENCH = ROOT / "examples" / "kernelbench"
TRANSPOSE = (ROOT / "examples" / "transpose.c").read_text(encoding="utf-8")
SOFTMAX = (ROOT / "examples" / "softmax_rows.c").read_text(encoding="utf-8")
SCAN = (ROOT / "examples" / "prefix_sums.c").read_text(encoding="utf-8")
REDUCE = (ROOT / "examples" / "gpu" / "scripts" / "reduce_fast.c").read_text(encoding="utf-8")
STENCIL = (ROOT / "examples" / "gpu" / "scripts" / "stencil2d.c").read_text(encoding="utf-8")
RMS_NORM = """#include <optigpu.h>
void rms_norm(int h, int w, float eps, float x[h][w], float g[w], float y[h][w]) {
  __requires("X: int * int -> float, G: int -> float, w > 0 && eps >. 0.0f");
  __reads("x ~> Matrix2(h, w, X), g ~> Matrix1(w, G)");
  __writes("y ~> Matrix2(h, w, fun i j -> X(i, j) / sqrtf(Sum(k in 0..w, X(i, k) * X(i, k)) / w + eps) * G(j))");
  for (int i = 0; i < h; i++) {
    float sum = 0.0f;
    for (int j = 0; j < w; j++) sum += x[i][j] * x[i][j];
    const float root = sqrtf(sum / w + eps);
    for (int j = 0; j < w; j++) y[i][j] = x[i][j] / root * g[j];
  }
}
"""
PERMUTE = """#include <optigpu.h>
void permute(int n, int h, int d, float a[n][h][d], float b[n][d][h]) {
  __requires("A: int * int * int -> float");
  __reads("a ~> Matrix3(n, h, d, A)");
  __writes("b ~> Matrix3(n, d, h, fun i k j -> A(i, j, k))");
  for (int i = 0; i < n; i++)
    for (int k = 0; k < d; k++)
      for (int j = 0; j < h; j++)
        b[i][k][j] = a[i][j][k];
}
"""
AFFINE = """#include <optigpu.h>
void affine(int b, int h, int w, float x[b][h][w], float g[w], float c[h], float y[b][h][w]) {
  __requires("X: int * int * int -> float, G: int -> float, C: int -> float");
  __reads("x ~> Matrix3(b, h, w, X), g ~> Matrix1(w, G), c ~> Matrix1(h, C)");
  __writes("y ~> Matrix3(b, h, w, fun n i j -> X(n, i, j) * G(j) + C(i))");
  for (int n = 0; n < b; n++)
    for (int i = 0; i < h; i++)
      for (int j = 0; j < w; j++)
        y[n][i][j] = x[n][i][j] * g[j] + c[i];
}
"""
# Rows whose starts are `stride` elements apart, of which the first w are used
STRIDED = """#include <optigpu.h>
void strided(int h, int w, int stride, float x[h][stride], float y[h][w]) {
  __requires("X: int * int -> float, 0 < w && w <= stride");
  __reads("x ~> Matrix2(h, stride, X)");
  __writes("y ~> Matrix2(h, w, fun i j -> X(i, j) / (1.0f + Sum(k in 0..w, X(i, k) * X(i, k))))");
  for (int i = 0; i < h; i++) {
    float sum = 0.0f;
    for (int j = 0; j < w; j++) sum += x[i][j] * x[i][j];
    for (int j = 0; j < w; j++) y[i][j] = x[i][j] / (1.0f + sum);
  }
}
"""
STRIDED_COPY = """#include <optigpu.h>
void copy(int h, int w, int stride, float x[h][stride], float y[h][w]) {
  __requires("X: int * int -> float, w <= stride");
  __reads("x ~> Matrix2(h, stride, X)");
  __writes("y ~> Matrix2(h, w, X)");
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++)
      y[i][j] = x[i][j];
}
"""
HELD = (schedules.HeldRows(256, 64), schedules.HeldRows(192, 64, vector=1))
SHARED = (schedules.HeldRows(512, 64, shared=True), schedules.HeldRows(192, 64, vector=1, shared=True))
NORM: dict[str, Any] = {"loop": "j", "reductions": ["sum"], "outputs": ["y"], "inputs": ["x"]}
ONLINE: dict[str, Any] = {
    "loop": "j",
    "reductions": ["best", "total"],
    "outputs": ["b"],
    "inputs": ["a"],
    "online": True,
}
ALONG: dict[str, Any] = {"read_along": "x", "write_along": "y", "input": "a", "output": "b"}
SCHEDULES: dict[str, tuple[str, Callable[[og.Script], object]]] = {
    "transpose": (TRANSPOSE, lambda s: schedules.transpose(s, **ALONG)),
    "transpose_one": (TRANSPOSE, lambda s: schedules.transpose(s, **ALONG, versions=False)),
    "permute": (PERMUTE, lambda s: schedules.transpose(s, "i", **{**ALONG, "read_along": "k", "write_along": "j"})),
    "softmax": (SOFTMAX, lambda s: schedules.row_norm(s, "i", **ONLINE, held=HELD[1:], threads=64)),
    "softmax_shared": (SOFTMAX, lambda s: schedules.row_norm(s, "i", **ONLINE, held=SHARED, threads=64)),
    "rms_norm_shared": (RMS_NORM, lambda s: schedules.row_norm(s, "i", **NORM, held=SHARED, threads=64)),
    "rms_norm": (RMS_NORM, lambda s: schedules.row_norm(s, "i", **NORM, held=HELD, threads=64)),
    "scan": (SCAN, lambda s: schedules.scan(s, "i", var="total", input="a", output="out")),
    "reduce": (REDUCE, lambda s: schedules.total(s, "i", var="sum", result="out")),
    "stencil": (STENCIL, lambda s: schedules.windows(s, row="y", col="x", rows=4)),
    "affine": (AFFINE, lambda s: schedules.elementwise(s, "n", "i", "j")),
    "strided": (STRIDED, lambda s: schedules.row_norm(s, "i", **NORM, held=HELD, threads=64)),
    "strided_copy": (STRIDED_COPY, lambda s: schedules.elementwise(s, "i", "j")),
    "rms_columns": (
        (KERNELBENCH / "036_rms_norm.c").read_text(encoding="utf-8"),
        lambda s: schedules.column_norm(
            s, "n", "p", loop="c", reductions=["squares"], outputs=["y"], inputs=["x"], most=8, threads=32
        ),
    ),
    "avg_pool": (
        (KERNELBENCH / "044_avg_pool_1d.c").read_text(encoding="utf-8"),
        lambda s: schedules.line_windows(s, "n", "c", col="i", input="x", output="y", threads=32),
    ),
    "max_pool": (
        (KERNELBENCH / "041_max_pool_1d.c").read_text(encoding="utf-8"),
        lambda s: schedules.line_windows(s, "n", "c", col="i", input="x", output="y", outside="-INFINITY", threads=32),
    ),
}


def script(name: str) -> og.Script:
    return og.Script(parse_text(SCHEDULES[name][0], f"{name}.c"))


@pytest.fixture(scope="module")
def built() -> Callable[[str], CudaFunction]:
    """The function of each schedule on the CPU stand-in, made once."""
    functions: dict[str, CudaFunction] = {}

    def get(name: str) -> CudaFunction:
        if name not in functions:
            s = script(name)
            SCHEDULES[name][1](s)
            assert s.result.verified and not s.result.assumptions
            function = s.build()
            assert isinstance(function, CudaFunction)
            functions[name] = function
        return functions[name]

    return get


Built = Callable[[str], CudaFunction]


def rand(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def empty(*shape: int) -> Any:
    return np.full(shape, np.nan, np.float32)


@pytest.mark.parametrize("name", ["transpose", "transpose_one"])
@pytest.mark.parametrize("shape", [(0, 5), (1, 1), (7, 9), (64, 64), (63, 65), (65, 63), (130, 71), (72, 100)])
def test_a_transpose_of_any_size(built: Built, name: str, shape: tuple[int, int]) -> None:
    a, b = rand(*shape), empty(*shape[::-1])
    built(name)(a=a, b=b)
    assert (b == a.T).all()


@pytest.mark.parametrize("shape", [(2, 0, 3), (1, 1, 1), (2, 8, 65), (3, 65, 9), (2, 67, 130)])
def test_a_permutation_with_other_dimensions(built: Built, shape: tuple[int, int, int]) -> None:
    a, b = rand(*shape), empty(shape[0], shape[2], shape[1])
    built("permute")(a=a, b=b)
    assert (b == a.transpose(0, 2, 1)).all()


ROWS = [
    *[(0, 3), (2, 1), (3, 191), (2, 192), (2, 193), (2, 255), (2, 256), (1, 257), (1, 260), (1, 508), (2, 512)],
    *[(1, 516), (1, 517)],
]


@pytest.mark.parametrize("held", ["softmax", "softmax_shared"])
@pytest.mark.parametrize("shape", ROWS)
def test_softmax_of_rows_of_any_length(built: Built, shape: tuple[int, int], held: str) -> None:
    a, b = rand(*shape), empty(*shape)
    built(held)(a=a, b=b)
    e = np.exp(a - a.max(axis=1, keepdims=True, initial=-np.inf))
    assert np.allclose(b, e / e.sum(axis=1, keepdims=True), atol=1e-6)


@pytest.mark.parametrize("held", ["rms_norm", "rms_norm_shared"])
@pytest.mark.parametrize("shape", ROWS)
def test_rms_norm_of_rows_of_any_length(built: Built, shape: tuple[int, int], held: str) -> None:
    x, g, y = rand(*shape), rand(shape[1]), empty(*shape)
    built(held)(x=x, g=g, y=y, eps=0.5)
    assert np.allclose(y, x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 0.5) * g, atol=1e-5)


@pytest.mark.parametrize("stride", [0, 1, 2, 3, 4, 5, 8])
@pytest.mark.parametrize("w", [4, 190, 256, 260])
def test_rows_that_are_a_stride_apart(built: Built, w: int, stride: int) -> None:
    x, y, z = rand(3, w + stride), empty(3, w), empty(3, w)
    built("strided")(x=x, y=y)
    assert np.allclose(y, x[:, :w] / (1 + (x[:, :w] ** 2).sum(axis=1, keepdims=True)), atol=1e-5)
    built("strided_copy")(x=x, y=z)
    assert (z == x[:, :w]).all()


def test_vectors_are_loaded_only_where_all_rows_are_aligned() -> None:
    s = script("strided")
    schedules.row_norm(s, "i", **NORM, held=HELD, threads=64)
    assert "if (w <= 256 && w % 4 == 0 && stride % 4 == 0)" in s.text()
    assert s.text().count("3 < w && (w % 4 == 0 && stride % 4 == 0)") == 2


@pytest.mark.parametrize(
    ("size", "text"),
    [("128", "stride % 4 == 0"), ("130", ""), ("300", "3 < w && stride % 4 == 0")],
)
def test_of_lengths_that_are_numbers_only_the_rest_is_tested(size: str, text: str) -> None:
    program = STRIDED.replace("int w, ", "").replace("void", f"#define w {size}\nvoid")
    s = og.Script(parse_text(program, "strided.c"))
    schedules.row_norm(s, "i", **NORM, held=HELD[:1], threads=64)
    assert text in s.text() and "w <= 256" not in s.text()


@pytest.mark.parametrize("n", [0, 1, 4095, 4096, 4097, 9001])
def test_scans_and_sums_of_any_length(built: Built, n: int) -> None:
    a, out, total = rand(n), empty(n), empty(1)
    built("scan")(a=a, out=out)
    assert np.allclose(out, np.cumsum(a, dtype=np.float64), atol=1e-3)
    built("reduce")(a=a, out=total)
    assert np.allclose(total, a.sum(dtype=np.float64), atol=1e-3)


@pytest.mark.parametrize("shape", [(0, 4), (1, 1), (2, 300), (5, 255), (37, 600)])
def test_a_stencil_of_any_size(built: Built, shape: tuple[int, int]) -> None:
    a, b = rand(*shape), empty(*shape)
    built("stencil")(a=a, b=b)
    wanted = a.copy()
    if min(shape) > 2:
        around = a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]
        wanted[1:-1, 1:-1] = 0.5 * a[1:-1, 1:-1] + 0.125 * around
    assert np.allclose(b, wanted, atol=1e-6)


@pytest.mark.parametrize("shape", [(0, 1, 1), (2, 3, 4), (2, 3, 5), (1, 2, 1025)])
def test_elements_with_broadcast_rows_and_columns(built: Built, shape: tuple[int, int, int]) -> None:
    x, g, c, y = rand(*shape), rand(shape[2]), rand(shape[1]), empty(*shape)
    built("affine")(x=x, g=g, c=c, y=y)
    assert np.allclose(y, x * g + c[:, None], atol=1e-6)


@pytest.mark.parametrize("shape", [(0, 3, 3), (2, 7, 33), (1, 8, 32), (2, 9, 5), (1, 1, 1)])
def test_columns_in_registers_and_longer_ones(built: Built, shape: tuple[int, int, int]) -> None:
    x, y = rand(*shape), empty(*shape)
    built("rms_columns")(x=x, y=y, eps=0.5)
    assert np.allclose(y, x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 0.5), atol=1e-5)


@pytest.mark.parametrize("n", [14, 127, 128, 129, 300])
def test_windows_along_rows(built: Built, n: int) -> None:
    x, means, maxima = rand(2, 1, n), empty(2, 1, n + 1), empty(2, 1, n - 13)
    built("avg_pool")(x=x, y=means)
    padded = np.pad(x, ((0, 0), (0, 0), (4, 4)))
    assert np.allclose(means, sum(padded[:, :, k : k + n + 1] for k in range(8)) / 8, atol=1e-6)
    built("max_pool")(x=x, y=maxima)
    padded = np.pad(x, ((0, 0), (0, 0), (4, 4)), constant_values=-np.inf)
    assert (maxima == np.max([padded[:, :, 3 * k : 3 * k + n - 13] for k in range(8)], axis=0)).all()


@pytest.mark.parametrize(
    ("name", "step", "message"),
    [
        ("transpose", lambda s: schedules.transpose(s, **{**ALONG, "read_along": "z"}), 'no loop fits For("z")'),
        ("transpose", lambda s: schedules.transpose(s, **{**ALONG, "output": "c"}), "written there: b"),
        (
            "transpose",
            lambda s: schedules.transpose(s, **{**ALONG, "read_along": "y", "write_along": "x"}),
            "are not adjacent elements of `a`",
        ),
        ("softmax", lambda s: schedules.row_norm(s, "i", **{**ONLINE, "reductions": ["max"]}), "written there"),
        ("rms_columns", lambda s: schedules.column_norm(s, "n", **{**NORM, "loop": "q"}), 'no loop fits For("q"'),
        ("scan", lambda s: schedules.scan(s, "k", var="total", input="a", output="out"), 'no loop fits For("k"'),
        ("avg_pool", lambda s: schedules.line_windows(s, col="i", input="x", output="z"), "no write fits"),
        ("affine", schedules.elementwise, "name the loops of the elements"),
    ],
)  # fmt: skip
def test_other_names_are_refused_with_those_that_are_there(
    name: str, step: Callable[[og.Script], object], message: str
) -> None:
    s = script(name)
    with pytest.raises(InputError) as caught:
        step(s)
    assert message in f"{caught.value.diagnostic.message} {caught.value.diagnostic.help}" and len(s.steps) == 1


def test_what_does_not_fit_is_rejected() -> None:
    """Elements outside a row count as what the sum or the maximum starts with, and as nothing else."""
    s = script("max_pool")
    with pytest.raises(StepError):
        schedules.line_windows(s, "n", "c", col="i", input="x", output="y", outside=0)
    assert len(s.steps) == 1


def test_tiles_are_shifted_by_at_most_what_is_said() -> None:
    s = og.Script(parse_text(EXTENDED, "f.c"))
    with pytest.raises(StepError):
        s.loop.tile_shifted("i", 32, shift=4, most=3)
    s.loop.tile_shifted("i", 32, shift=4, most=4)


EXTENDED = """#include <optigpu.h>
void f(int n, float a[n]) {
  __writes("a ~> Matrix1(n, fun i -> 0)");
  for (int i = 0; i < n; i++) a[i] = 0.0f;
}
"""


def test_a_loop_is_extended_up_to_a_bound_that_is_known() -> None:
    s = og.Script(parse_text(EXTENDED, "f.c"))
    with pytest.raises(StepError):
        s.loop.extend_range("i", 8)
    short, _ = s.function.versions("n <= 8")
    s.loop.extend_range(short / og.For("i"), 8)


def test_rows_that_exceed_shared_memory_are_refused() -> None:
    s = script("softmax")
    with pytest.raises(StepError, match=r"OG351|shared memory"):
        schedules.row_norm(s, "i", **ONLINE, held=[schedules.HeldRows(65536, 1024, shared=True)])


def test_registers_hold_whole_vectors_of_all_threads() -> None:
    s = script("rms_norm")
    for form in (schedules.HeldRows(64, 32), schedules.HeldRows(256, 16), schedules.HeldRows(300, 64)):
        with pytest.raises(InputError, match="in equal parts"):
            schedules.row_norm(s, "i", **NORM, held=[form])


def launched_twice(condition: str, other: str) -> og.Script:
    """Two versions of a function, each a kernel; the host writes `other` to an array after the second one."""
    s = og.Script(parse_text(EXTENDED, "f.c"))
    for version in s.function.versions(condition):
        with s.inside(version):
            s.loop.tile("i", 64, outer="b", tail="guard")
            s.gpu.launch(grid=["b"], block=["i"])
    if other:
        s.instr.insert(other, after=s.handle(s.find_all(og.Call("memcpy_device_to_host1"))[-1]))
    return s


def test_versions_share_their_copies() -> None:
    s = launched_twice("n > 100", "")
    assert s.text().count("memcpy_device_to_host1") == 2
    s.gpu.stay_on_device()
    assert s.text().count("memcpy_device_to_host1") == 1 and s.cuda().on_device


def test_a_version_whose_host_uses_the_array_keeps_what_it_computes() -> None:
    """The host changes the array in one version: a copy that is made after it would undo that."""
    with pytest.raises(StepError):
        launched_twice("n > 100", "if (n > 0) { a[0] = 1.0f; }")
    s = launched_twice("n > 100", "if (n > 0) { a[0] = 0.0f; }")
    s.gpu.stay_on_device()
    assert s.text().count("memcpy_device_to_host1") == 2
