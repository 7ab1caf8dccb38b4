"""Calls with `half`, `bf16` and `tf32`: arrays of NumPy, ml_dtypes, PyTorch and others, numbers, outputs, launch plans, timing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from optigpu.codegen.c import emit_c
from optigpu.frontend import parse_text
from optigpu.frontend.parameter_types import effective_types
from optigpu.runtime import dlpack, nvrtc, stored_floats
from optigpu.runtime.arrays import by_dlpack, view_of
from optigpu.runtime.bench import bytes_moved, random_data
from optigpu.runtime.call_error import BuildError, CallError
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.launching import Launcher
from optigpu.runtime.manifest import BuiltCuda, load, save
from optigpu.runtime.signature import signature_of
from optigpu.runtime.stored_floats import BITS_OF_BFLOAT16, ROUNDING, as_doubles, dtype_of
from optigpu.syntax.types import BF16, HALF, TF32
from optigpu.tuning.same_outputs import checked_cases, difference, write_cases
from tests.support.cuda import emitted, on_standin
from tests.support.device_arrays import DeviceArray
from tests.support.launching import StandinDriver
from tests.support.stored_floats import PATTERNS, interesting_floats, rounded, same, widened

MIXED = """#include <optigpu.h>
half f(int n, half s, bf16 t, half x[n], bf16 y[n], tf32 z[n]) {
  __requires("X: int -> float, s < 100");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun i -> X(i) * t), z ~> Matrix1(n, fun i -> X(i) / 3)");
  for (int i = 0; i < n; i++) {
    y[i] = x[i] * t;
    z[i] = x[i] / 3.0f;
  }
  return s + t;
}
"""
KERNEL = """#include <optigpu.h>
void f(int n, half s, TYPE x[n], TYPE y[n]) {
  __requires("X: int -> float, n >= 0");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun i -> X(i) * s)");
  TYPE* const dx = __gmem_malloc1<TYPE>(n);
  TYPE* const dy = __gmem_malloc1<TYPE>(n);
  memcpy_host_to_device1(dx, x, n);
  kernel_launch((n + 31) / 32, 32, 0);
  kernel_setup_end();
  thread for (int b = 0; b < (n + 31) / 32; b++) thread for (int t = 0; t < 32; t++)
    if (32 * b + t < n) dy[32 * b + t] = dx[32 * b + t] * s;
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(y, dy, n);
  gmem_free(dx);
  gmem_free(dy);
}
"""
X = np.array([1, 2, 3.14159, -60000], np.float16)


def c_function(text: str) -> CFunction:
    program = parse_text(text)
    f = program.functions()[-1]
    return CFunction(emit_c(program), signature_of(f, effective_types(f)))


def bfloat16() -> Any:
    return pytest.importorskip("ml_dtypes").bfloat16


@pytest.mark.parametrize("t", [HALF, BF16, TF32], ids=lambda t: t.name)
def test_numbers_are_rounded_as_emitted_code_rounds(t: Any) -> None:
    floats = interesting_floats(t.name, seed=7, count=1500)
    assert same([ROUNDING[t](x) for x in floats.tolist()], rounded(t.name, floats))


def test_numbers_and_results_are_python_floats() -> None:
    f, y = c_function(MIXED), np.zeros(4, bfloat16())
    z = np.zeros(4, np.float32)
    for given in (0.1, np.float16(0.1), np.float32(0.1), np.float64(0.1), bfloat16()(0.1)):
        for _ in range(2):  # checked by interpretation, then by compiled checks
            result = f(given, 2, X, y, z)
            assert type(result) is float and result == float(np.float16(np.float32(np.float16(given)) + np.float32(2)))
    assert np.array_equal(z, rounded("tf32", X.astype(np.float32) / np.float32(3)))
    assert np.array_equal(as_doubles(y), rounded("bf16", X.astype(np.float32) * np.float32(2)))


def test_numbers_that_do_not_fit_are_refused() -> None:
    f = c_function(MIXED)
    y, z = np.zeros(4, dtype_of("bfloat16")), np.zeros(4, np.float32)
    with pytest.raises(CallError, match="`s` does not fit `half`"):
        f(65520, 2, X, y, z)
    with pytest.raises(CallError, match="`t` does not fit `bf16`"):
        f(1, 3.4e38, X, y, z)
    with pytest.raises(CallError, match=r"the precondition s < 100 does not hold \(s = 100.0\)"):
        f(99.99, 2, X, y, z)  # rounded before


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "uint16", "bfloat16"])
def test_arrays_of_other_types_are_refused(dtype: str) -> None:
    f = c_function(MIXED)
    with pytest.raises(CallError, match=r"`x` holds float16, not .*astype\('float16'\).*torch.float16"):
        f(1, 2, np.zeros(4, dtype_of(dtype)), np.zeros(4, dtype_of("bfloat16")), np.zeros(4, np.float32))
    wrong = np.zeros(4, np.float16 if dtype == "bfloat16" else dtype)
    with pytest.raises(CallError, match=r"`y` holds bfloat16, not .*ml_dtypes.bfloat16.*torch.bfloat16"):
        f(1, 2, X, wrong, np.zeros(4, np.float32))


def test_outputs_are_made_for_numpy() -> None:
    f, wanted = c_function(MIXED), np.dtype(bfloat16())
    for _ in range(2):
        _, y, z = f(1, 2, X)
        assert (
            y.dtype == wanted and z.dtype == np.float32 and y.tolist() == rounded("bf16", 2 * X.astype("f4")).tolist()
        )


def test_strided_arrays_are_packed() -> None:
    f, x = c_function(MIXED), np.repeat(X, 2)[::2]
    y = np.zeros((4, 2), bfloat16())[:, 1]
    f(1, 2, x, y, np.zeros(4, np.float32))
    assert not x.flags.c_contiguous and y.tolist() == rounded("bf16", 2 * X.astype("f4")).tolist()


def test_without_ml_dtypes_numpy_has_no_bfloat16(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_floats, "_ml_dtypes", lambda: None)
    f = c_function(MIXED)
    with pytest.raises(
        CallError, match="`y` holds bfloat16, which NumPy lacks: install ml_dtypes, or give PyTorch's tensors"
    ):
        f(1, 2, X)
    assert f.signature.params  # everything else works
    y, z = np.zeros(4, BITS_OF_BFLOAT16), np.zeros(4, np.float32)
    assert f(1, 2, X, y, z) == 3.0 and as_doubles(y).tolist() == rounded("bf16", 2 * X.astype("f4")).tolist()
    assert same(as_doubles(PATTERNS.view(BITS_OF_BFLOAT16)), widened("bf16", PATTERNS))


CONTENTS = """#include <optigpu.h>
void f(int n, TYPE x[n], float y[n]) {
  __reads("x ~> Matrix1(n, fun i -> 1000 /. 7)");
  __writes("y ~> Matrix1(n, fun i -> 1000 /. 7)");
  for (int i = 0; i < n; i++) y[i] = x[i];
}
"""


@pytest.mark.parametrize("name, off", [("half", 1.003), ("bf16", 1.02), ("tf32", 1.003)])
def test_contents_hold_up_to_the_rounding_of_their_type(name: str, off: float) -> None:
    f = c_function(CONTENTS.replace("TYPE", name))
    dtype = {"half": np.dtype(np.float16), "tf32": np.dtype(np.float32)}.get(name) or np.dtype(bfloat16())
    exact = np.full(3, 1000 / 7, np.float32)
    y = np.zeros(3, np.float32)
    f(rounded(name, exact).astype(dtype), y)
    assert y[0] == rounded(name, exact)[0]
    with pytest.raises(CallError, match="does not hold"):
        f((exact * off).astype(dtype), y)


# PyTorch


def test_tensors_in_host_memory() -> None:
    torch = pytest.importorskip("torch")
    f = c_function(MIXED)
    for _ in range(2):
        result, y, z = f(0.5, 2, torch.from_numpy(X))
        assert result == 2.5 and y.dtype is torch.bfloat16 and z.dtype is torch.float32
        assert y.tolist() == rounded("bf16", 2 * X.astype("f4")).tolist()
    with pytest.raises(CallError, match="holds float16, not float32"):
        f(0.5, 2, torch.ones(4))
    stepped = torch.zeros(8, dtype=torch.bfloat16)[::2]
    f(0.5, 2, torch.from_numpy(X), stepped, torch.zeros(4))
    assert stepped.tolist() == rounded("bf16", 2 * X.astype("f4")).tolist()


def test_tensors_need_no_ml_dtypes(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(stored_floats, "_ml_dtypes", lambda: None)
    _, y, _ = c_function(MIXED)(0.5, 2, torch.from_numpy(X))
    assert y.dtype is torch.bfloat16 and y.tolist() == rounded("bf16", 2 * X.astype("f4")).tolist()
    held = torch.full((3,), 1000 / 7).to(torch.bfloat16)
    c_function(CONTENTS.replace("TYPE", "bf16"))(held, torch.zeros(3))


def test_kernels_take_tensors_on_the_standin() -> None:
    torch = pytest.importorskip("torch")
    for name, dtype in (("half", torch.float16), ("bf16", torch.bfloat16), ("tf32", torch.float32)):
        x = torch.arange(50).to(dtype)
        y = on_standin(KERNEL.replace("TYPE", name))(0.5, x)
        assert y.dtype is dtype and y.tolist() == (x.float() * 0.5).to(dtype).tolist()


def test_operators_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    op = c_function(MIXED).register("optigpu_tests::stored_floats")
    result, y, z = op(0.5, 2.0, torch.from_numpy(X))
    assert (result.dtype, y.dtype, z.dtype) == (torch.float16, torch.bfloat16, torch.float32) and result.item() == 2.5
    fake = torch.ops.optigpu_tests.stored_floats.default
    with torch._subclasses.fake_tensor.FakeTensorMode():
        made = fake(0.5, 2.0, torch.zeros(7, dtype=torch.float16))
    assert [(x.dtype, tuple(x.shape)) for x in made] == [
        (torch.float16, ()),
        (torch.bfloat16, (7,)),
        (torch.float32, (7,)),
    ]


# Other libraries


def test_arrays_by_cuda_array_interface() -> None:
    half = view_of(DeviceArray(np.zeros(3, np.float16)))
    assert half is not None and (half.dtype, half.bytes) == ("float16", 6)
    bits = view_of(DeviceArray(np.zeros((2, 2), np.uint16), typestr="<V2"))  # as PyTorch and ml_dtypes have it
    assert bits is not None and (bits.dtype, bits.bytes, bits.contiguous) == ("bfloat16", 8, True)
    other = view_of(DeviceArray(np.zeros(3, np.uint32), typestr="<V4"))
    assert other is not None and other.dtype not in ("bfloat16", "float32")


def test_types_of_dlpack() -> None:
    names = {(2, 16): "float16", (4, 16): "bfloat16", (2, 32): "float32"}
    assert {key: dlpack.dtype_name(dlpack.DLDataType(*key, 1)) for key in names} == names
    for dtype in (np.dtype(np.float16), dtype_of("bfloat16"), BITS_OF_BFLOAT16):
        memory = np.zeros(5, dtype)
        capsule = dlpack.exported(memory, memory.ctypes.data, (5,), dtype, 0)
        described = dlpack.described(capsule)
        assert described.dtype == stored_floats.dtype_name(dtype) and described.pointer == memory.ctypes.data


class ByDlpack:
    """An array of another library in host memory."""

    def __init__(self, array: Any) -> None:
        self.array, self.dtype = array, stored_floats.dtype_name(array.dtype)

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.CPU, 0

    def __dlpack__(self, **options: Any) -> object:
        a = self.array
        return dlpack.exported(a, a.ctypes.data, a.shape, a.dtype, 0, kind=dlpack.CPU)


def test_bfloat16_in_host_memory_by_dlpack() -> None:
    bits = np.array([[0x3F80, 0x4000], [0xC000, 0x3EAB]], np.uint16)
    view = by_dlpack(ByDlpack(bits.view(BITS_OF_BFLOAT16)), 0)
    assert (view.dtype, view.shape, view.device, view.pointer) == ("bfloat16", (2, 2), None, bits.ctypes.data)
    f = c_function(CONTENTS.replace("TYPE", "bf16"))
    y = np.zeros(2, np.float32)
    f(ByDlpack(np.full(2, 0x430F, np.uint16).view(BITS_OF_BFLOAT16)), y)
    assert y.tolist() == [143.0, 143.0]


# Launch plans, built files, NVRTC


@pytest.mark.parametrize("name", ["half", "bf16", "tf32"])
def test_launch_plans_pass_numbers_of_16_bits(name: str, tmp_path: Path) -> None:
    text = KERNEL.replace("TYPE", name)
    unit, driver, signature = emitted(text), StandinDriver(), on_standin(text, races=False).signature
    assert unit.plan is not None
    built = BuiltCuda(unit.text, signature, unit.on_device, dict(unit.alignment), unit.device_text, unit.plan)
    save(built, tmp_path, "f")
    again = load(tmp_path, "f")
    assert again.signature == signature and again.plan == unit.plan
    launcher = Launcher(again.signature, again.plan or (), again.kernels.encode(), lambda number: driver)
    x = rounded(name, np.linspace(-3, 3, 70).astype(np.float32)).astype(np.float32)
    held = (
        x.copy()
        if name == "tf32"
        else x.astype(np.float16)
        if name == "half"
        else (x.view(np.uint32) >> 16).astype("u2")
    )
    y = np.zeros_like(held)
    launcher.on_host(70, 0.7001953125, held.ctypes.data, y.ctypes.data)
    numbers = y if name == "tf32" else widened(name, y.view(np.uint16))
    assert np.array_equal(numbers, rounded(name, x * np.float32(0.7001953125)))


def test_nvrtc_is_told_where_the_headers_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert nvrtc.include_options("namespace program {}") == ()
    source = emitted(KERNEL.replace("TYPE", "bf16")).device_text
    assert "#include <cuda_bf16.h>\n#include <cuda_fp16.h>" in source
    (tmp_path / "include" / "cccl").mkdir(parents=True)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    monkeypatch.setattr(nvrtc, "in_packages", lambda folder: iter(()))
    with pytest.raises(BuildError, match=r"NVRTC needs CUDA's header cuda_bf16\.h, which was not found"):
        nvrtc.include_options(source)
    for name in ("cuda_bf16.h", "cuda_fp16.h"):
        (tmp_path / "include" / name).touch()
    folders = [tmp_path / "include", tmp_path / "include" / "cccl"]
    assert nvrtc.include_options(source) == tuple(f"--include-path={f}" for f in folders)


# Timing and tuning


def test_random_data_and_bytes() -> None:
    signature = on_standin(KERNEL.replace("TYPE", "half"), races=False).signature
    data = random_data(signature, {"n": 1000, "s": 1.0})
    assert data["x"].dtype == np.float16 and 0 < data["x"].mean() < 1 and np.isnan(data["y"]).all()
    assert bytes_moved(signature, data) == 2 * 2 * 1000
    signature = on_standin(KERNEL.replace("TYPE", "bf16"), races=False).signature
    data = random_data(signature, {"n": 1000, "s": bfloat16()(1.0)})
    assert data["x"].dtype == bfloat16() and bytes_moved(signature, data) == 2 * 2 * 1000


def test_tuned_candidates_are_compared_within_the_rounding_of_bfloat16(tmp_path: Path) -> None:
    signature = on_standin(KERNEL.replace("TYPE", "bf16"), races=False).signature
    x = np.linspace(1, 2, 9).astype(bfloat16())
    inputs = {"n": 9, "s": 1.0, "x": x, "y": x}
    write_cases(tmp_path / "cases.npz", [(inputs, {"y": x})])
    ((read, expected),) = checked_cases(tmp_path / "cases.npz", signature)
    assert read["x"].dtype == bfloat16() and np.array_equal(expected["y"], x)
    bits = x.view(np.uint16).copy()
    bits[4] += 1
    assert difference({"y": x}, {"y": bits.view(bfloat16())}) is None
    bits[4] += 20
    assert difference({"y": x}, {"y": bits.view(bfloat16())}) is not None
