"""Calls that leave out outputs, and arrays of other libraries by DLPack."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
from functools import cache
from typing import Any

import numpy as np
import pytest

from optigpu.codegen.c import emit_c
from optigpu.frontend import parse_text
from optigpu.frontend.parameter_types import effective_types
from optigpu.runtime import dlpack, driver
from optigpu.runtime.arrays import view_of
from optigpu.runtime.call_error import CallError
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.cuda import CudaFunction
from optigpu.runtime.manifest import signature_from_json, signature_to_json
from optigpu.runtime.signature import Signature, signature_of
from tests.conftest import ROOT
from tests.support import fake_torch
from tests.support.cuda import on_standin
from tests.support.launching import StandinDriver

TRANSPOSE = ROOT / "examples/gpu/transpose.c"


def signature(text: str) -> Signature:
    program = parse_text(text)
    f = program.functions()[-1]
    return signature_of(f, effective_types(f))


def compiled(text: str) -> CFunction:
    return CFunction(emit_c(parse_text(text)), signature(text))


def outputs(text: str) -> dict[str, str]:
    s = signature(text)
    assert signature_from_json(signature_to_json(s)) == s
    return {p.name: p.output for p in s.params if hasattr(p, "output")}


@pytest.mark.parametrize(
    ("claims", "output"),
    [
        ('__writes("a ~> Cells1(n)");', "empty"),
        ('__writes("a ~> Matrix1(n, fun i -> 0)");', "empty"),
        ('__consumes("a ~> UninitMatrix1(n)"); __produces("a ~> Matrix1(n, fun i -> 0)");', "empty"),
        ('__writes("for i in 0..n -> &a[i] ~> Cell");', "zeros"),
        ('__writes("for i in 0..n / 2 -> &a[2 * i] ~> Cell");', "zeros"),
        ('__writes("If(n > 3, a ~> Cells1(n))");', "zeros"),
        ('__consumes("a ~> UninitMatrix1(n)"); __produces("a ~> UninitMatrix1(n)");', "zeros"),
        ('__preserves("a ~> Cells1(n)");', ""),
        ('__preserves("a ~> UninitMatrix1(n)");', ""),
        ('__consumes("a ~> Cells1(n)"); __produces("a ~> Matrix1(n, fun i -> 0)");', ""),
        ('__reads("a ~> Cells1(n)");', ""),
        ('__consumes("for i in 0..n -> &a[i] ~> UninitCell"); __produces("a ~> Cells1(n)");', ""),
        ('__consumes("&a[0] ~> Cell"); __writes("for i in 1..n -> &a[i] ~> Cell"); __produces("&a[0] ~> Cell");', ""),
        ('__reads("&a[0] ~> Cell"); __writes("for i in 1..n -> &a[i] ~> Cell");', ""),
        ("", ""),
    ],
)
def test_what_is_an_output_follows_from_the_contract(claims: str, output: str) -> None:
    assert outputs(f"void f(int n, int a[n]) {{ {claims} }}") == {"a": output}


def test_an_array_whose_size_is_not_declared_is_given() -> None:
    assert outputs('void f(int n, int* a) { __writes("for i in 0..n -> &a[i] ~> Cell"); }') == {"a": ""}


def test_a_new_array_of_bools_holds_bools_before_it_is_written() -> None:
    text = 'void fill(int n, bool y[n]) { __writes("y ~> Cells1(n)"); for (int i = 0; i < n; i++) { y[i] = i > 0; } }'
    assert outputs(text) == {"y": "zeros"}
    assert outputs(text.replace("bool y", "uint8_t y")) == {"y": "empty"}
    k = compiled(text)
    for _ in range(50):
        unclean = np.full(1000, 0xAB, np.uint8)
        del unclean
        assert k(1000).sum() == 999
    given = np.full(4, 0xAB, np.uint8).view(bool)
    with pytest.raises(CallError, match="bytes that are neither 0 nor 1"):
        k(4, given)


TWO = """float two(int n, int m, float x[n], float y[n], int z[n][m]) {
  __requires("X: int -> float"); __reads("x ~> Matrix1(n, X)"); __writes("y ~> Cells1(n)");
  __writes("for i in 0..n -> for j in 0..m / 2 -> &z[i][j] ~> Cell");
  for (int i = 0; i < n; i++) { y[i] = 2.0f * x[i]; for (int j = 0; j < m / 2; j++) { z[i][j] = i + j; } }
  return 0.5f;
}"""


def test_the_number_comes_first_then_outputs_in_the_order_of_parameters() -> None:
    k, x = compiled(TWO), np.arange(3, dtype=np.float32)
    for _ in range(2):
        number, y, z = k(4, x)  # m is the size of an output alone
        assert number == 0.5 and np.array_equal(y, 2 * x)
        assert np.array_equal(z, [[0, 1, 0, 0], [1, 2, 0, 0], [2, 3, 0, 0]]), "what is not written is zero"
    given = np.full((3, 4), 7, np.int32)
    number, y = k(x, z=given)
    assert number == 0.5 and np.array_equal(y, 2 * x) and (given[:, 2:] == 7).all()
    assert k(x, np.empty(3, np.float32), given) == 0.5
    number, y, z = k(3, 4, x)
    assert z.shape == (3, 4)
    number, y, z = k(x=x, m=2)
    assert z.shape == (3, 2)


@pytest.mark.parametrize(
    ("args", "kwargs", "says"),
    [
        ((), {"x": np.zeros(3, np.float32)}, "two needs `m`"),
        ((-2, np.zeros(3, np.float32)), {}, "the size m of `z` = -2 is no size"),
        ((2**40, np.zeros(3, np.float32)), {}, "does not fit `int`"),
        ((2, 3), {}, "`x` is an array, not int"),
        ((2, [1.0, 2.0]), {}, "`x` is an array, not list"),
        ((2, np.zeros(3)), {}, "`x` holds float32, not float64"),
    ],
)
def test_wrong_calls_without_outputs_are_explained(args: tuple[Any, ...], kwargs: dict[str, Any], says: str) -> None:
    with pytest.raises(CallError, match=says):
        compiled(TWO)(*args, **kwargs)


def test_a_function_of_numbers_alone_makes_numpy_arrays() -> None:
    k = compiled(
        'void fill(int n, int y[n]) { __writes("y ~> Cells1(n)"); for (int i = 0; i < n; i++) { y[i] = 3 * i; } }'
    )
    assert k(4).tolist() == k(n=4).tolist() == [0, 3, 6, 9]
    assert k(0).shape == (0,)


def test_preconditions_come_before_memory() -> None:
    k = compiled('void fill(int64_t n, int y[n]) { __requires("n <= 8"); __writes("y ~> Cells1(n)"); }')
    with pytest.raises(CallError, match="precondition n <= 8 does not hold"):
        k(2**60)


def test_outputs_that_no_memory_holds_are_refused() -> None:
    k = compiled(
        'void fill(int64_t n, int64_t m, int y[n][m]) { __writes("y ~> Cells2(n, m)"); '
        "for (int64_t i = 0; i < n; i++) { for (int64_t j = 0; j < m; j++) { y[i][j] = 1; } } }"
    )
    for shape in ((2**62, 1), (2**32, 2**32), (2**45, 1)):
        with pytest.raises(CallError, match=f"`y` of size {shape[0]} x {shape[1]} cannot be made"):
            k(*shape)
    with pytest.raises(CallError, match="= -1 is no size"):
        k(-1, 1)
    assert k(2, 3).tolist() == [[1] * 3] * 2


def test_the_size_of_new_memory_does_not_wrap(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = StandinDriver()
    sizes: list[int] = []
    monkeypatch.setattr(gpu, "allocate", lambda nbytes: sizes.append(nbytes) or 0)
    monkeypatch.setattr(driver, "driver", lambda number: gpu)
    for shape in ((2**32, 2**32), (3, 5)):
        driver.DeviceArray(shape, "float32")
    assert sizes == [2**66, 60]


def test_cuda_functions_make_outputs() -> None:
    a = np.random.default_rng(3).random((32, 64), np.float32)
    assert np.array_equal(on_standin(TRANSPOSE)(a), a.T)


def test_tensors_get_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", fake_torch.fake_torch())
    k = on_standin(TRANSPOSE, races=False)
    k.standin = False
    a = np.random.default_rng(3).random((32, 64), np.float32)
    for device in (0, 1, None):
        for _ in range(2):
            out = k(fake_torch.Tensor(a, device=device))
            assert isinstance(out, fake_torch.Tensor) and out.gpu == device and np.array_equal(out.array, a.T)


# DLPack


class Producer:
    """An array of another library, in "GPU" memory: that of a NumPy array."""

    def __init__(
        self, array: Any, *, device: tuple[int, int] = (dlpack.CUDA, 0), version: int = 1, flags: int = 0
    ) -> None:
        self.array, self.device, self.version, self.flags = array, device, version, flags
        self.asked: list[dict[str, Any]] = []
        self.shape = array.shape

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, **options: Any) -> object:
        if self.version == 0 and "max_version" in options:
            raise TypeError("unexpected keyword argument 'max_version'")
        self.asked.append(options)
        if self.device[0] == dlpack.CPU:
            return self.array.__dlpack__(**options)
        a = self.array
        if self.version == 0:
            return dlpack.exported(self, a.ctypes.data, a.shape, a.dtype, self.device[1])
        return versioned(self, a, self.flags)


KEPT: list[Any] = []


def versioned(owner: Producer, a: Any, flags: int) -> object:
    """A capsule of DLPack 1, whose memory the test keeps."""
    shape = (ctypes.c_int64 * max(1, a.ndim))(*a.shape)
    strides = (ctypes.c_int64 * max(1, a.ndim))(*(s // a.itemsize for s in a.strides))
    t = dlpack.DLDataType(dlpack.CODES[a.dtype.kind], 8 * a.itemsize, 1)
    tensor = dlpack.DLTensor(a.ctypes.data - 64, dlpack.DLDevice(*owner.device), a.ndim, t, shape, strides, 64)
    managed = dlpack.DLManagedTensorVersioned(owner.version, 0, None, None, flags, tensor)
    KEPT.append((managed, shape, strides, owner))
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(managed), b"dltensor_versioned", None)


@cache
def transpose() -> CudaFunction:
    k = on_standin(TRANSPOSE, races=False)
    k.standin = False
    return k


A, B = np.random.default_rng(4).random((32, 64), np.float32), np.zeros((64, 32), np.float32)


def test_arrays_by_dlpack_are_used_in_place() -> None:
    for old in (0, 1):
        b, x = B.copy(), Producer(A, version=old)
        y = Producer(b)
        assert transpose()(x, y) is None
        assert np.array_equal(b, A.T)
        assert x.asked == [{"stream": 1, **({"max_version": (1, 0)} if old else {})}], "ready for the default stream"


def test_arrays_by_dlpack_are_ready_for_the_stream_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", fake_torch.fake_torch())
    b, x = fake_torch.Tensor(B.copy()), Producer(A)
    transpose()(x, b)
    assert np.array_equal(b.array, A.T) and x.asked[0]["stream"] == 100


def test_the_stream_of_the_others_is_that_of_their_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", fake_torch.fake_torch())
    k, launched = on_standin(TRANSPOSE, races=False), []
    k.standin, k._device = False, lambda *raw, stream, device_: launched.append((stream, device_))
    for gpu in (0, 1):
        x = Producer(A, device=(dlpack.CUDA, gpu))
        k(x, fake_torch.Tensor(B.copy(), device=gpu))
        assert x.asked[0]["stream"] == 100 + gpu
    assert launched == [(100, 0), (101, 1)] and fake_torch.CURRENT == [0]


class Moved(Producer):
    """An array whose capsule names another device."""

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.CUDA, 0


@pytest.mark.parametrize("version", [0, 1])
def test_the_device_of_a_capsule_is_compared(version: int) -> None:
    b = B.copy()
    assert transpose()(Moved(A, version=version), Producer(b)) is None and np.array_equal(b, A.T)
    with pytest.raises(
        CallError, match=r"on device 0 of DLPack's type 2 by `__dlpack_device__`, and on device 1 of type 2"
    ):
        transpose()(Moved(A, device=(dlpack.CUDA, 1), version=version), Producer(b))


def test_the_kind_of_device_of_a_capsule_is_compared() -> None:
    managed = Moved(A, device=(dlpack.CUDA_MANAGED, 0))  # a GPU reads it as its own
    assert transpose()(managed, Producer(B.copy())) is None
    with pytest.raises(CallError, match="on device 0 of type 10 by its capsule"):
        transpose()(Moved(A, device=(10, 0)), Producer(B.copy()))


@pytest.mark.parametrize(
    ("b", "says"),
    [
        (Producer(B.copy(), flags=dlpack.READ_ONLY), "`b` is written, but the array is read-only"),
        (Producer(B.copy(), flags=dlpack.COPIED), "`b` is written, but the array is read-only"),
        (Producer(B.copy(), version=0), "`b` is written, but the array is read-only"),
        (Producer(B.copy(), device=(dlpack.CUDA, 1)), "not all on the same device"),
        (Producer(B.copy(), device=(4, 0)), "neither the host nor an NVIDIA GPU"),
        (Producer(B.copy(), device=(dlpack.CPU, 0)), "not all on the same device"),
        (Producer(B.copy(), version=2), "by DLPack 2"),
        (Producer(B.astype(np.int32)), "`b` holds float32, not int32"),
        (Producer(np.zeros((32, 64), np.float32).T), "`b` is not contiguous"),
        (Producer(B[:32].copy()), "`b` has size W = 64 in dimension 0"),
    ],
)
def test_wrong_arrays_by_dlpack_are_explained(b: Producer, says: str) -> None:
    with pytest.raises(CallError, match=says):
        transpose()(Producer(A), b)


def test_arrays_by_dlpack_in_host_memory_are_numpys() -> None:
    k, x, y = (
        compiled(TWO.replace("float two", "float three")),
        Producer(np.ones(3, np.float32), device=(1, 0)),
        np.zeros(3, np.float32),
    )
    z = Producer(np.zeros((3, 2), np.int32), device=(dlpack.CPU, 0))
    assert k(x, Producer(y, device=(dlpack.CPU, 0)), z) == 0.5 and y.tolist() == [2.0] * 3
    frozen = np.zeros(3, np.float32)
    frozen.flags.writeable = False
    with pytest.raises(CallError, match="`y` is written, but the array is read-only"):
        k(x, Producer(frozen, device=(dlpack.CPU, 0)), z)
    _, made, _ = k(2, x)
    assert isinstance(made, np.ndarray)


def test_what_would_be_written_to_a_copy_is_refused() -> None:
    """A library may copy the memory that it gives, if it is not told otherwise."""

    class Copying(Producer):
        def __dlpack__(self, **options: Any) -> object:
            if options.get("copy") is False:
                raise BufferError("this needs a copy")
            return self.array.__dlpack__(**{**options, "copy": True})

    k = compiled("""void f(int n, float x[n], float y[n]) { __reads("x ~> Cells1(n)"); __writes("y ~> Cells1(n)");
      for (int i = 0; i < n; i++) { y[i] = 2.0f * x[i]; } }""")
    x, y = (np.full(3, v, np.float32) for v in (1, 0))
    k(Copying(x, device=(dlpack.CPU, 0)), Producer(y, device=(dlpack.CPU, 0)))
    assert y.tolist() == [2, 2, 2]
    with pytest.raises(CallError, match="`y` is written, but the array is read-only"):
        k(x, Copying(y, device=(dlpack.CPU, 0)))


@pytest.mark.parametrize("error", [BufferError, RuntimeError, ValueError])
@pytest.mark.parametrize("device", [dlpack.CPU, dlpack.CUDA])
def test_a_library_that_does_not_give_its_array_is_quoted(error: type[Exception], device: int) -> None:
    class Refusing(Producer):
        def __dlpack__(self, **options: Any) -> object:
            raise error("not today")

    with pytest.raises(CallError, match="not today"):
        transpose()(Refusing(A, device=(device, 0)), Producer(B.copy()))


def test_arrays_that_outlive_this_module_are_given_back() -> None:
    """Python ends, and another library still has our array."""
    code = """
import sys, numpy as np
from optigpu.runtime import dlpack
class Array:
    data = np.arange(6, dtype=np.int16)
    def __dlpack_device__(self):
        return dlpack.CPU, 0
    def __dlpack__(self, **_):
        return dlpack.exported(self, self.data.ctypes.data, (2, 3), self.data.dtype, 0, kind=dlpack.CPU)
sys.kept = np.from_dlpack(Array()), Array().__dlpack__()
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_numpys_own_capsules_are_understood() -> None:
    a = np.arange(12, dtype=np.float64).reshape(3, 4)
    for capsule in (a.__dlpack__(), a.__dlpack__(max_version=(1, 0))):
        seen = dlpack.described(capsule)
        assert (seen.shape, seen.dtype, seen.pointer, seen.contiguous) == ((3, 4), "float64", a.ctypes.data, True)
    assert not dlpack.described(a.T.__dlpack__()).contiguous
    assert dlpack.described(a.__dlpack__(max_version=(1, 0))).writeable
    assert not dlpack.described(a.__dlpack__()).writeable, "it could not say that it must not be written"
    a.flags.writeable = False
    assert not dlpack.described(a.__dlpack__(max_version=(1, 0))).writeable
    for dtype in ("bool", "int8", "uint64", "float32"):
        assert dlpack.described(np.zeros(3, dtype).__dlpack__()).dtype == dtype
    with pytest.raises(CallError, match="no DLPack capsule"):
        dlpack.described(object())


def test_our_capsules_keep_their_owner_until_they_are_used_up() -> None:
    class Array:
        alive = 0

        def __init__(self) -> None:
            Array.alive += 1
            self.data = np.arange(6, dtype=np.int16)

        def __del__(self) -> None:
            Array.alive -= 1

        def __dlpack_device__(self) -> tuple[int, int]:
            return dlpack.CPU, 0

        def __dlpack__(self, **_: Any) -> object:
            return dlpack.exported(self, self.data.ctypes.data, (2, 3), self.data.dtype, 0, kind=dlpack.CPU)

    gc.freeze()  # what earlier tests left is not looked through
    unused = Array().__dlpack__()
    assert Array.alive == 1
    del unused
    gc.collect()
    assert Array.alive == 0
    taken = np.from_dlpack(Array())
    gc.collect()
    assert Array.alive == 1 and taken.tolist() == [[0, 1, 2], [3, 4, 5]]
    del taken
    gc.collect()
    assert Array.alive == 0


def test_a_view_by_dlpack_lives_as_long_as_the_description() -> None:
    view = view_of(Producer(A))
    assert view is not None and view.keep is not None and view.kind == "dlpack"
