"""Timing by the driver alone: kernels can be timed where neither PyTorch nor CuPy is installed."""

from __future__ import annotations

import ctypes
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from optigpu.runtime.cuda import CudaFunction
from optigpu.runtime.driver import DeviceArray, driver

WARM_UP = 3
FLUSH_BYTES = 256 << 20  # more than any L2 cache holds


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
