"""`half`, `bf16` and `tf32` in emitted C and CUDA: every bit pattern, every kind of rounding, and the text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from optigpu.check.verify import Verifier
from optigpu.codegen.c import emit_c
from optigpu.codegen.cuda.stored_float_text import CONVERSIONS
from optigpu.commands.differential import compare
from optigpu.frontend import parse_text
from optigpu.frontend.parameter_types import effective_types
from optigpu.interp.runner import Runner
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.nvcc import compile_cuda, nvcc
from optigpu.runtime.signature import signature_of
from optigpu.runtime.stored_floats import BITS_OF_BFLOAT16, dtype_of
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.float_formats import FORMATS
from optigpu.syntax.types import SCALAR_NAMES
from tests.support.cuda import emitted, on_standin
from tests.support.stored_floats import DIGITS, PATTERNS, STORED, interesting_floats, rounded, same, widened

Build = Callable[[str], Callable[..., Any]]
WIDE = """#include <optigpu.h>
void wide(int n, TYPE a[n], float b[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, A)");
  for (int i = 0; i < n; i++) b[i] = a[i];
}
"""
NARROW = WIDE.replace("wide", "narrow").replace("TYPE a[n], float b[n]", "float a[n], TYPE b[n]")
KERNEL = """  FROM* const da = __gmem_malloc1<FROM>(n);
  TO* const db = __gmem_malloc1<TO>(n);
  memcpy_host_to_device1(da, a, n);
  kernel_launch((n + 31) / 32, 32, 0);
  kernel_setup_end();
  thread for (int k = 0; k < (n + 31) / 32; k++) thread for (int t = 0; t < 32; t++)
    if (32 * k + t < n) db[32 * k + t] = da[32 * k + t];
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(b, db, n);
  gmem_free(da);
  gmem_free(db);
"""


def c_function(text: str) -> CFunction:
    program = parse_text(text)
    f = program.functions()[-1]
    return CFunction(emit_c(program), signature_of(f, effective_types(f)))


def on_gpu(text: str) -> str:
    """The same function, by a kernel."""
    source, to = re.findall(r"(\w+) [ab]\[n\]", text)[:2]
    loop = "  for (int i = 0; i < n; i++) b[i] = a[i];\n"
    return text.replace(loop, KERNEL.replace("FROM", source).replace("TO", to))


def elements(name: str) -> np.dtype[Any]:
    return dtype_of(FORMATS[SCALAR_NAMES[name]].in_arrays)


def numbers(array: NDArray[Any], name: str) -> NDArray[Any]:
    return array if name == "tf32" else widened(name, array.view(np.uint16))


@pytest.mark.parametrize("run", [c_function, lambda text: on_standin(on_gpu(text), races=False)], ids=["c", "standin"])
@pytest.mark.parametrize("name", ["half", "bf16"])
def test_all_bit_patterns_are_the_numbers_they_are(name: str, run: Build) -> None:
    b = np.zeros(len(PATTERNS), np.float32)
    run(WIDE.replace("TYPE", name))(PATTERNS.view(elements(name)), b)
    assert same(b, widened(name, PATTERNS))


@pytest.mark.parametrize("run", [c_function, lambda text: on_standin(on_gpu(text), races=False)], ids=["c", "standin"])
@pytest.mark.parametrize("name", STORED)
def test_floats_are_rounded_to_the_nearest(name: str, run: Build) -> None:
    a = interesting_floats(name)
    b = np.zeros(len(a), elements(name))
    run(NARROW.replace("TYPE", name))(a, b)
    assert same(numbers(b, name), rounded(name, a))


@pytest.mark.parametrize("name", ["half", "bf16"])
def test_all_bit_patterns_survive_both_conversions(name: str) -> None:
    floats = widened(name, PATTERNS).astype(np.float32)
    back = np.zeros(len(PATTERNS), elements(name))
    c_function(NARROW.replace("TYPE", name))(floats, back)
    kept = back.view(np.uint16) == PATTERNS
    assert np.all(kept | np.isnan(floats)) and np.all(np.isnan(widened(name, back.view(np.uint16)[np.isnan(floats)])))


COMPUTED = """#include <optigpu.h>
TYPE twice(TYPE x) {
  __ensures("_Res == 2 * x");
  return 2 * x;
}
void f(int n, TYPE s, TYPE x[n], TYPE y[n], double z[n], int w[n]) {
  __requires("X: int -> float, Y: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __consumes("y ~> Matrix1(n, Y)");
  __produces("y ~> Matrix1(n, fun i -> Y(i) * s + 2 * X(i))");
  __writes("z ~> Matrix1(n, fun i -> X(i) < 0 ? -X(i) : 3), w ~> Cells1(n)");
  for (int i = 0; i < n; i++) {
    TYPE t = x[i];
    y[i] *= s;
    y[i] += twice(t);
    z[i] = t < 0 ? -t : 3;
    w[i] = (int)t / 2 + (t != 0);
  }
}
"""


@pytest.mark.parametrize("name", STORED)
def test_emitted_c_computes_what_the_interpreter_does(name: str) -> None:
    pytest.importorskip("ml_dtypes") if name == "bf16" else None
    program = parse_text(COMPUTED.replace("TYPE", name))
    assert Verifier().verify(program).verified
    f = program.function("f")
    compiled = CFunction(emit_c(program), signature_of(f, effective_types(f)))
    assert compare(compiled, Runner(program), f, runs=60) is None


SHARED = """#include <optigpu.h>
void f(int n, TYPE s, TYPE a[n][64], float b[n][64]) {
  __requires("A: int * int -> float, n >= 0");
  __reads("a ~> Matrix2(n, 64, A)");
  __writes("b ~> Matrix2(n, 64, fun i j -> A(i, 63 - j) * s + A(i, j) + A(i, j < 32 ? 0 : 32))");
  TYPE* const da = __gmem_malloc2<TYPE>(n, 64);
  float* const db = __gmem_malloc2<float>(n, 64);
  memcpy_host_to_device2(da, a, n, 64);
  kernel_launch(n, 64, 128 * sizeof(TYPE));
  TYPE* const first = __smem_malloc1<TYPE>(64);
  kernel_setup_end();
  TYPE* const own = __treg_malloc0<TYPE>();
  TYPE* const other = __treg_malloc0<TYPE>();
  thread for (int i = 0; i < n; i++) {
    __shared__ TYPE tile[64];
    thread for (int t = 0; t < 64; t++) {
      tile[t] = da[i][t];
      first[DMINDEX1(n, i)][t] = da[i][t];
      own[DMINDEX2(n, 64, i, t)] = da[i][t];
    }
    thread for (int w = 0; w < 2; w++) shfl(&other[DMINDEX2(n, 64, i, 32 * w)], &own[DMINDEX2(n, 64, i, 32 * w)], 0);
    blocksync();
    thread for (int t = 0; t < 64; t++) {
      const TYPE x = first[DMINDEX1(n, i)][t];
      db[i][t] = tile[63 - t] * s + x + other[DMINDEX2(n, 64, i, t)];
    }
  }
  kernel_teardown_begin();
  __smem_free1(first, 64);
  kernel_kill();
  memcpy_device_to_host2(b, db, n, 64);
  gmem_free(da);
  gmem_free(db);
}
"""


@pytest.mark.parametrize("name", STORED)
def test_kernels_have_them_in_all_memories(name: str) -> None:
    text = SHARED.replace("TYPE", name)
    a = np.random.default_rng(3).integers(-8, 9, (3, 64)).astype(np.float32)
    held = a if name == "tf32" else narrow(name, a)
    b = np.zeros((3, 64), np.float32)
    on_standin(text)(0.5, held, b)
    assert np.array_equal(b, a[:, ::-1] * 0.5 + a + np.repeat(a[:, [0, 32]], 32, axis=1))


def narrow(name: str, numbers: NDArray[np.float32]) -> NDArray[Any]:
    out = np.zeros(numbers.size, elements(name))
    c_function(NARROW.replace("TYPE", name))(numbers.reshape(-1), out)
    return out.reshape(numbers.shape)


@pytest.mark.skipif(nvcc() is None, reason="there is no nvcc")
@pytest.mark.parametrize("name", STORED)
def test_nvcc_takes_them(name: str) -> None:
    for text in (SHARED, on_gpu(WIDE), on_gpu(NARROW)):
        compile_cuda(emitted(text.replace("TYPE", name)).text, ("80", "90"), ("-Werror", "all-warnings"))


def test_emitted_cuda_uses_the_types_and_intrinsics_of_cuda() -> None:
    for name, own in (("half", "__half"), ("bf16", "__nv_bfloat16"), ("tf32", "float")):
        unit = emitted(on_gpu(NARROW.replace("TYPE", name)))
        stored = CONVERSIONS[SCALAR_NAMES["float"], SCALAR_NAMES[name]]
        assert f"{own}* db" in unit.text and f"{stored}(da[" in unit.text and f"{stored}(da[" in unit.device_text
        assert f"sizeof({own}) * n" in unit.text
        for header, of in (("cuda_fp16.h", "half"), ("cuda_bf16.h", "bf16")):
            included = f"#include <{header}>"
            assert (included in unit.text) == (included in unit.device_text) == (of == name)
        assert ("cvt.rna.tf32.f32" in unit.device_text) == (name == "tf32")


def test_floats_are_emitted_as_before() -> None:
    text = on_gpu(WIDE.replace("TYPE", "float"))
    assert not re.search(
        r"half|bf16|tf32|16\.h", emitted(text).text + emit_c(parse_text(WIDE.replace("TYPE", "float")))
    )


def test_a_copy_converts_nothing() -> None:
    text = WIDE.replace("TYPE", "half").replace("float b[n]", "half b[n]")
    assert "b[i] = a[i];" in emit_c(parse_text(text)) and "optigpu_half" not in emit_c(parse_text(text))
    assert not re.search("half2float|float2half", emitted(on_gpu(text)).text)


def test_conversions_between_them_go_through_float() -> None:
    text = WIDE.replace("TYPE a", "half a").replace("float b", "bf16 b")
    assert "b[i] = optigpu_float_to_bf16(optigpu_half_to_float(a[i]));" in emit_c(parse_text(text))
    text = WIDE.replace("TYPE a", "double a").replace("float b", "half b")
    assert "b[i] = optigpu_float_to_half(a[i]);" in emit_c(parse_text(text))


@pytest.mark.parametrize("name", STORED)
def test_they_have_no_atomic_operations(name: str) -> None:
    text = SHARED.replace("TYPE", name).replace("tile[t] = da[i][t];", "atomicAdd(&tile[t], da[i][t]);")
    with pytest.raises(InputError, match="which is converted to `float` to compute with it") as e:
        parse_text(text)
    assert e.value.diagnostic.code == "OG102"


def test_the_reference_knows_its_formats() -> None:
    """The table of formats and the reference of these tests agree, made apart from each other."""
    for name in STORED:
        f = FORMATS[SCALAR_NAMES[name]]
        known = np.array([float(f.largest), float(f.least), float(f.exact_integers)])
        one = np.array([1 + 2.0 ** -DIGITS[name], 1 + 2.0 ** -(DIGITS[name] + 2)], np.float32)
        assert f.digits == DIGITS[name] + 1 and rounded(name, one).tolist() == [one[0], 1.0]
        assert same(rounded(name, known.astype(np.float32)), known)
    assert BITS_OF_BFLOAT16.itemsize == 2
