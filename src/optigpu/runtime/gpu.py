"""Device memory and timing by the driver alone: kernels can be run and timed where neither PyTorch nor CuPy is installed."""

from __future__ import annotations

import ctypes
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from optigpu.runtime.cuda import CudaFunction
from optigpu.runtime.errors import BuildError, CallError

WARM_UP = 3
FLUSH_BYTES = 256 << 20  # more than any L2 cache holds


class Driver:
    """The calls of libcuda that are needed, in the primary context of the first GPU, which the compiled code uses too."""

    def __init__(self) -> None:
        try:
            self.library = ctypes.CDLL("libcuda.so.1")
        except OSError:
            raise BuildError("no GPU was found: its driver (libcuda.so.1) is not installed") from None
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name: str, *args: Any) -> None:
        status = getattr(self.library, name)(*args)
        if status != 0:
            text = ctypes.c_char_p()
            self.library.cuGetErrorString(status, ctypes.byref(text))
            reason = (text.value or b"unknown error").decode()
            raise CallError(f"{name}: {reason}")


@cache
def driver() -> Driver:
    return Driver()


class DeviceArray:
    """An array in GPU memory. CudaFunction, CuPy and PyTorch (`torch.as_tensor`) take it by the common protocol."""

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape, self.dtype = shape, np.dtype(dtype)
        self.nbytes = int(np.prod(shape, dtype=np.int64)) * self.dtype.itemsize
        self.pointer = ctypes.c_uint64(0)
        if self.nbytes:
            driver().call("cuMemAlloc_v2", ctypes.byref(self.pointer), ctypes.c_size_t(self.nbytes))

    @staticmethod
    def of(array: Any) -> DeviceArray:
        """A copy of a NumPy array."""
        array = np.ascontiguousarray(array)
        out = DeviceArray(array.shape, array.dtype)
        if out.nbytes:
            driver().call(
                "cuMemcpyHtoD_v2", out.pointer, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(out.nbytes)
            )
        return out

    def get(self) -> Any:
        """A copy in host memory."""
        out = np.empty(self.shape, self.dtype)
        if self.nbytes:
            driver().call(
                "cuMemcpyDtoH_v2", ctypes.c_void_p(out.ctypes.data), self.pointer, ctypes.c_size_t(self.nbytes)
            )
        return out

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape, "typestr": self.dtype.str, "data": (self.pointer.value, False), "strides": None, "version": 3,
        }  # fmt: skip

    def __del__(self) -> None:
        if self.pointer.value:
            driver().library.cuMemFree_v2(self.pointer)


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds of single runs, each with cold caches."""

    runs: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.runs)

    def rate(self, amount: float) -> float:
        """`amount` a second, for the median run."""
        return amount / (self.median * 1e-3)


def time_on_gpu(call: Callable[[], object], repeats: int = 20) -> Timing:
    """Time what `call` puts on the default stream with events, after warming up, the L2 cache overwritten before each run."""
    d, flush = driver(), DeviceArray((FLUSH_BYTES,), np.uint8)
    for _ in range(WARM_UP):
        call()
    pairs = []
    for _ in range(repeats):
        begin, end = ctypes.c_void_p(), ctypes.c_void_p()
        d.call("cuEventCreate", ctypes.byref(begin), 0)
        d.call("cuEventCreate", ctypes.byref(end), 0)
        d.call("cuMemsetD8Async", flush.pointer, ctypes.c_ubyte(0), ctypes.c_size_t(FLUSH_BYTES), None)
        d.call("cuEventRecord", begin, None)
        call()
        d.call("cuEventRecord", end, None)
        pairs.append((begin, end))
    d.call("cuCtxSynchronize")
    out: list[float] = []
    for begin, end in pairs:
        ms = ctypes.c_float()
        d.call("cuEventElapsedTime", ctypes.byref(ms), begin, end)
        out.append(ms.value)
        for event in (begin, end):
            d.call("cuEventDestroy_v2", event)
    return Timing(tuple(out))


def bench(function: CudaFunction, *args: Any, repeats: int = 20) -> Timing:
    """Time a function on NumPy arguments, which are copied to the GPU beforehand."""
    moved = [DeviceArray.of(a) if isinstance(a, np.ndarray) else a for a in args]
    return time_on_gpu(function.prepared(*moved), repeats)


def copy_bandwidth(nbytes: int = 1 << 30, repeats: int = 20) -> float:
    """Bytes read and written a second by a copy from device memory to device memory: what memory-bound kernels are held against."""
    a, b = DeviceArray((nbytes,), np.uint8), DeviceArray((nbytes,), np.uint8)
    size = ctypes.c_size_t(nbytes)
    timing = time_on_gpu(lambda: driver().call("cuMemcpyDtoDAsync_v2", b.pointer, a.pointer, size, None), repeats)
    return timing.rate(2.0 * nbytes)
