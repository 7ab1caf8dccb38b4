"""Calling compiled functions from Python: results, and clear errors for arguments that do not fit."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from optigpu.codegen.c import emit_c
from optigpu.frontend import parse_file, parse_text
from optigpu.frontend.parameter_types import effective_types
from optigpu.runtime.call_error import BuildError, CallError
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.disk_cache import cached_file, content_key
from optigpu.runtime.signature import signature_of
from optigpu.syntax.macro_constants import without_constants
from optigpu.syntax.program import Program
from tests.conftest import ROOT


def build(program: Program, name: str | None = None) -> CFunction:
    f = without_constants(program, program.function(name) if name else program.functions()[-1])
    return CFunction(emit_c(program), signature_of(f, effective_types(f)))


def example(name: str) -> CFunction:
    return build(parse_file(ROOT / "examples" / f"{name}.c"))


def test_calls_with_and_without_sizes_and_by_keyword() -> None:
    transpose = example("transpose")
    a = np.arange(35, dtype=np.float32).reshape(5, 7)
    for call in (lambda b: transpose(7, 5, a, b), lambda b: transpose(a, b), lambda b: transpose(a=a, b=b, W=7, H=5)):
        b = np.zeros((7, 5), np.float32)
        call(b)
        assert (b == a.T).all()


def test_returns_scalars_and_takes_scalars() -> None:
    assert example("dot")(np.ones(9, np.float32), np.full(9, 2, np.float32)) == 18
    y = np.ones(4, np.float32)
    example("axpy")(3.0, np.ones(4, np.float32), y)
    assert (y == 4).all()


def test_results_match_numpy_on_larger_data() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.random((33, 47), np.float32), rng.random((47, 29), np.float32)
    c = np.zeros((33, 29), np.float32)
    example("matmul")(a, b, c)
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)
    x, s = rng.random((17, 1000), np.float32), np.zeros((17, 1000), np.float32)
    example("softmax_rows")(x, s)
    e = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(s, e / e.sum(1, keepdims=True), rtol=1e-4)


A = np.zeros((5, 7), np.float32)
B = np.zeros((7, 5), np.float32)
READ_ONLY = np.zeros((7, 5), np.float32)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "transpose needs `a`$"),
        ((7, 5, A, B, 1), "takes 4 arguments"),
        ((A, A), "`b` has size W = 7 in dimension 0, but the array has 5"),
        ((6, 5, A, B), "`a` has size W = 6 in dimension 1, but the array has 7"),
        ((A.astype(np.float64), B), "`a` holds float32, not float64"),
        ((B.T, B), "`a` and `b` overlap in memory"),
        ((A, READ_ONLY), "`b` is written, but the array is read-only"),
        (([1.0], B), "`a` is an array of float32, not list"),
        ((A.reshape(-1), B), "`a` has 2 dimensions, not 1"),
        ((A.reshape(-1), B.reshape(-1)), "`a` has 2 dimensions, not 1"),
        ((np.timedelta64(7, "ns"), 5, A, B), "`W` is an integer, not timedelta64"),
        ((7.5, 5, A, B), "`W` is an integer, not float"),
        ((2**40, 5, A, B), "`W` = 1099511627776 does not fit `int`"),
    ],
)
def test_wrong_arguments_are_explained(args: tuple[object, ...], message: str) -> None:
    with pytest.raises(CallError, match=message.replace("(", r"\(")):
        example("transpose")(*args)


def test_unknown_and_repeated_keywords() -> None:
    transpose = example("transpose")
    with pytest.raises(CallError, match="has no parameter `c`"):
        transpose(A, B, c=1)
    with pytest.raises(CallError, match="given twice"):
        transpose(A, B, a=A)


def test_sizes_in_order_and_others_by_keyword() -> None:
    transpose = example("transpose")
    for args, others in (((7, 5, A), {"b": B}), ((A,), {"b": B}), ((7, 5), {"a": A, "b": B}), ((), {"a": A, "b": B})):
        transpose(*args, **others)  # type: ignore[arg-type]


def test_overlapping_arrays_are_rejected_where_one_is_written() -> None:
    whole = np.zeros(20, np.float32)
    with pytest.raises(CallError, match="overlap"):
        example("copy")(whole[:10], whole[5:15])
    example("copy")(whole[:10], whole[10:])
    assert example("dot")(whole[:10], whole[5:15]) == 0


def test_preconditions_are_checked() -> None:
    with pytest.raises(CallError, match=r"the precondition n % TILE == 0 does not hold|n > 0"):
        example("maximum")(np.zeros(0, np.float32))
    histogram = example("histogram")
    counts = np.zeros(4, np.int32)
    histogram(np.array([0, 3, 3], np.int32), counts)
    assert counts.tolist() == [1, 0, 0, 2]
    with pytest.raises(CallError, match=r"precondition forall i in 0\.\.n"):
        histogram(np.array([0, 4], np.int32), counts)


def test_empty_arrays() -> None:
    assert example("sum")(np.zeros(0, np.float32)) == 0
    example("copy")(np.zeros(0, np.float32), np.zeros(0, np.float32))


def test_flat_pointers_to_matrices() -> None:
    text = """
void inner(float *m, int h, int w) {
  __consumes("m ~> Cells2(h, w)"); __produces("m ~> Matrix2(h, w, fun i j -> 10 * i + j)");
  for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) m[MINDEX2(h, w, i, j)] = 10 * i + j;
}
void outer(int h, int w, float a[h][w]) {
  __consumes("a ~> Cells2(h, w)"); __produces("a ~> Matrix2(h, w, fun i j -> 10 * i + j)");
  inner(a, h, w);
}"""
    a = np.zeros((3, 4), np.float32)
    build(parse_text(text), "inner")(a)
    assert a[2, 3] == 23
    a[:] = 0
    build(parse_text(text), "outer")(a)
    assert a[2, 3] == 23


def test_compiled_code_comes_from_the_cache_the_second_time() -> None:
    first, second = example("copy"), example("copy")
    assert first.path == second.path
    assert content_key("a", "bc") != content_key("ab", "c")


def test_a_failed_build_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPTIGPU_CACHE", str(tmp_path))

    def fail(path: Path) -> None:
        path.write_text("half")
        raise BuildError("no")

    with pytest.raises(BuildError):
        cached_file("key", ".so", fail)
    assert os.listdir(tmp_path) == []


def test_missing_compiler_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("optigpu.runtime.compilers.c_compiler", lambda: None)
    with pytest.raises(BuildError, match="install gcc or clang"):
        example("copy")
