"""Calling CUDA functions: checks of arguments, device arrays, files for machines without a parser."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from optigpu.codegen.cuda import emit_cuda
from optigpu.frontend.parameter_types import effective_types
from optigpu.runtime.arrays import view_of
from optigpu.runtime.call_error import BuildError, CallError
from optigpu.runtime.cuda import CudaFunction
from optigpu.runtime.driver import DeviceArray as DeviceArrayOnGpu
from optigpu.runtime.driver import Driver
from optigpu.runtime.manifest import BuiltCuda, load, save, signature_from_json, signature_to_json
from optigpu.runtime.nvcc import gpu_architecture
from optigpu.runtime.signature import signature_of
from optigpu.runtime.timing import copy_bandwidth
from optigpu.syntax.macro_constants import without_constants
from tests.conftest import ROOT
from tests.support.cuda import emitted, on_standin, parsed
from tests.support.device_arrays import DeviceArray

VECTOR_ADD = ROOT / "examples/gpu/fast/vector_add.c"
TRANSPOSE = ROOT / "examples/gpu/transpose.c"
A, B = np.ones((32, 64), np.float32), np.ones((64, 32), np.float32)


def as_if_on_gpu(path: Path) -> CudaFunction:
    """The stand-in under the name of a GPU: the entry point for device pointers runs on it as well."""
    k = on_standin(path)
    k.standin = False
    return k


def test_device_arrays_go_straight_to_the_kernel() -> None:
    a, b = np.random.default_rng(1).random((32, 64), np.float32), np.zeros((64, 32), np.float32)
    as_if_on_gpu(TRANSPOSE)(DeviceArray(a), DeviceArray(b))
    assert (b == a.T).all()
    b[:] = 0
    as_if_on_gpu(TRANSPOSE).prepared(DeviceArray(a), DeviceArray(b))()
    assert (b == a.T).all()


def test_scratch_memory_of_a_call_on_device_arrays() -> None:
    a, out = np.arange(5000, dtype=np.float32), np.zeros(1, np.float32)
    as_if_on_gpu(ROOT / "examples/gpu/fast/reduce.c")(DeviceArray(a), DeviceArray(out))
    assert out[0] == pytest.approx(a.sum(), rel=1e-5)


def test_the_memory_pool_of_the_process_is_left_alone() -> None:
    """Other libraries use it: scratch memory comes from a pool of our own. The stand-in refuses changes of the other."""
    text = emitted(ROOT / "examples/gpu/fast/reduce.c").text
    assert text.count("cudaMallocFromPoolAsync(") == 1 and "cudaMallocAsync" not in text
    pool = text[text.index("cudaError_t scratch_pool(") :].split("\n}\n")[0]
    assert re.findall(r"cudaMemPoolSetAttribute\((\w+),", text) == ["made"]
    assert "cudaMemPoolCreate(&made," in pool and "= cudaDeviceGetDefaultMemPool" not in text


@pytest.mark.gpu
@pytest.mark.skipif(gpu_architecture() is None, reason="there is no GPU")
def test_the_memory_pool_of_the_process_keeps_its_threshold() -> None:
    driver, pool = Driver(), ctypes.c_void_p()
    driver.call("cuDeviceGetDefaultMemPool", ctypes.byref(pool), 0)

    def threshold() -> int:
        value = ctypes.c_uint64(0)
        driver.call("cuMemPoolGetAttribute", pool, 4, ctypes.byref(value))  # CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
        return value.value

    before = threshold()
    a = DeviceArrayOnGpu.of(np.arange(5000, dtype=np.float32))
    out = DeviceArrayOnGpu.of(np.zeros(1, np.float32))
    program = parsed(ROOT / "examples/gpu/fast/reduce.c")
    unit = emit_cuda(program)
    f = without_constants(program, program.function(unit.name))
    CudaFunction(unit.text, signature_of(f, effective_types(f)), on_device=unit.on_device, alignment=unit.alignment)(
        a, out
    )
    driver.synchronize()
    assert out.get()[0] == pytest.approx(np.arange(5000).sum(), rel=1e-5)
    assert threshold() == before


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((DeviceArray(A), B), "not all on the same device"),
        ((DeviceArray(A), DeviceArray(A)), "`b` has size W = 64 in dimension 0"),
        ((DeviceArray(A.astype(np.float64)), DeviceArray(B)), "`a` holds float32, not float64"),
        ((DeviceArray(B.T), DeviceArray(B)), "`a` is not contiguous"),
        ((DeviceArray(A), DeviceArray(A.reshape(64, 32))), "overlap"),
        ((DeviceArray(A), DeviceArray(B, data=(B.ctypes.data, True))), "read-only"),
        (
            (DeviceArray(A[:31].copy()), DeviceArray(np.ones((64, 31), np.float32))),
            "precondition H % 32 == 0 does not hold",
        ),
        (([1.0], DeviceArray(B)), "`a` is an array, not list"),
    ],
)
def test_wrong_device_arrays_are_explained(args: tuple[Any, Any], message: str) -> None:
    with pytest.raises(CallError, match=message):
        as_if_on_gpu(TRANSPOSE)(*args)


def test_vector_accesses_need_aligned_arrays() -> None:
    k = as_if_on_gpu(ROOT / "examples/gpu/fast/vector_add.c")
    room = np.zeros(64, np.float32)
    start = (-room.ctypes.data // 4) % 4
    x, y, z = room[start : start + 8], np.ones(8, np.float32), np.ones(8, np.float32)
    k(DeviceArray(x), DeviceArray(y), DeviceArray(z))
    with pytest.raises(CallError, match="`a` does not start at a multiple of 16 bytes"):
        k(DeviceArray(room[start + 1 : start + 9]), DeviceArray(y), DeviceArray(z))


def test_the_standin_takes_numpy_arrays() -> None:
    with pytest.raises(CallError, match="built for the CPU stand-in"):
        on_standin(TRANSPOSE)(DeviceArray(A), DeviceArray(B))


def test_the_emitted_code_checks_by_itself() -> None:
    """As a C++ caller would meet it, without Python's checks."""
    k = on_standin(TRANSPOSE)
    transpose = ctypes.CDLL(str(k.path)).optigpu_transpose
    transpose.restype = ctypes.c_char_p
    transpose.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
    assert transpose(64, 32, A.ctypes.data, B.ctypes.data) is None
    assert transpose(64, 31, A.ctypes.data, B.ctypes.data) == b"transpose: H % 32 == 0 does not hold"
    assert transpose(-64, 32, A.ctypes.data, B.ctypes.data) == b"transpose: W >= 0 does not hold"
    assert transpose(2**31 - 32, 0, None, None) is None  # all of its indices have 32 bits
    add = ctypes.CDLL(str(on_standin(VECTOR_ADD).path)).optigpu_vector_add
    add.restype = ctypes.c_char_p
    add.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    assert add(2**31 - 1023, None, None, None) == b"vector_add: n is too large for 32-bit indices"


def test_numpy_arguments_are_checked_like_those_of_c() -> None:
    with pytest.raises(CallError, match="`a` holds float32"):
        on_standin(TRANSPOSE)(A.astype(np.int32), B)
    with pytest.raises(CallError, match="overlap"):
        on_standin(TRANSPOSE)(A, A.reshape(64, 32))


def test_the_standin_is_announced_once() -> None:
    code = f"""
import warnings
from pathlib import Path
from tests.support.cuda import emitted, parsed
from optigpu.frontend.parameter_types import effective_types
from optigpu.runtime.signature import signature_of
from optigpu.runtime.cuda import CudaFunction
import optigpu.runtime.cuda as cuda
cuda.gpu_architecture = lambda: None
p = parsed(Path({str(TRANSPOSE)!r})); f = p.functions()[-1]
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    for _ in range(3): CudaFunction(emitted(Path({str(TRANSPOSE)!r})).text, signature_of(f, effective_types(f)))
print(len([w for w in seen if "stand-in" in str(w.message)]))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert result.stdout.strip() == "1"


def test_files_for_a_machine_without_a_parser(tmp_path: Path) -> None:
    k, unit = on_standin(TRANSPOSE), emitted(TRANSPOSE)
    save(BuiltCuda(unit.text, k.signature, unit.on_device, dict(unit.alignment)), tmp_path, "t")
    code = f"""
import sys
sys.modules.update(dict.fromkeys(("lark", "greenlet", "z3", "cvc5")))
from pathlib import Path
import numpy as np
from optigpu.runtime.manifest import load
k = load(Path({str(tmp_path)!r}), "t").function(standin=True)
a, b = np.random.default_rng(0).random((32, 64), np.float32), np.zeros((64, 32), np.float32)
k(a, b)
assert (b == a.T).all()
try:
    k(a[:31], np.zeros((64, 31), np.float32))
except TypeError as e:
    print(e)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert "the precondition H % 32 == 0 does not hold (H = 31)" in result.stdout
    assert load(tmp_path, "t").signature == k.signature


@pytest.mark.parametrize("name", ["transpose", "vector_add", "matmul_shared", "reduce", "scan"])
def test_signatures_survive_json(name: str) -> None:
    s = on_standin(ROOT / f"examples/gpu/{name}.c").signature
    assert signature_from_json(signature_to_json(s)) == s


def test_views_of_arrays() -> None:
    assert view_of([1]) is None
    view = view_of(DeviceArray(A))
    assert view is not None and view.device == 0 and view.contiguous and view.bytes == A.nbytes
    strided = view_of(DeviceArray(A[:, ::2]))
    assert strided is not None and not strided.contiguous
    assert parsed(TRANSPOSE).functions()[0].name == "transpose"


@pytest.mark.skipif(gpu_architecture() is not None, reason="a GPU is here")
def test_a_missing_gpu_is_explained() -> None:
    with pytest.raises(BuildError, match="no GPU was found"):
        Driver()


@pytest.mark.gpu
@pytest.mark.skipif(gpu_architecture() is None, reason="needs a GPU")
def test_timing_by_the_driver_alone() -> None:
    k = CudaFunction(emitted(TRANSPOSE).text, on_standin(TRANSPOSE).signature, on_device=True, standin=False)
    a, b = DeviceArrayOnGpu.of(A), DeviceArrayOnGpu((64, 32), np.float32)
    k(a, b)
    assert (b.get() == A.T).all()
    assert k.bench({"W": 64, "H": 32}).timing.median > 0 and copy_bandwidth(1 << 26) > 0
