"""Timing of kernels by CUDA events through the driver API, without PyTorch or CuPy."""

from __future__ import annotations

import ctypes
import statistics
import time
from collections.abc import Callable

import numpy as np

from optigpu.light_dataclass import dataclass
from optigpu.runtime.driver import DeviceArray, Driver, driver

LEAST_WARM_UP, WARM_UP_SECONDS = 3, 0.4  # until the GPU clocks have ramped up
FLUSH_BYTES = 256 << 20  # larger than any L2 cache
COPY_BYTES = 1 << 30


@dataclass(frozen=True, slots=True)
class Timing:
    """The runs in milliseconds, each with a cold L2 cache."""

    runs: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.runs)

    def rate(self, amount: float) -> float:
        """`amount` per second, by the median run."""
        return amount / (self.median * 1e-3)


def time_on_gpu(call: Callable[[], object], repeats: int = 20, warm_up: float = WARM_UP_SECONDS) -> Timing:
    """Time the work that `call` puts on the default stream, by events, after a warm-up; the L2 cache is flushed before each run."""
    d, flush = driver(), DeviceArray((FLUSH_BYTES,), np.uint8)
    with d.current():
        return _timed(d, flush, call, repeats, warm_up)


def _timed(d: Driver, flush: DeviceArray, call: Callable[[], object], repeats: int, warm_up: float) -> Timing:

    def cold() -> None:
        d.call("cuMemsetD8Async", ctypes.c_uint64(flush.pointer), ctypes.c_ubyte(0), ctypes.c_size_t(FLUSH_BYTES), None)

    start, runs = time.perf_counter(), 0
    while runs < LEAST_WARM_UP or time.perf_counter() - start < warm_up:
        cold()
        call()
        d.synchronize()
        runs += 1
    pairs = []
    for _ in range(repeats):
        begin, end = ctypes.c_void_p(), ctypes.c_void_p()
        d.call("cuEventCreate", ctypes.byref(begin), 0)
        d.call("cuEventCreate", ctypes.byref(end), 0)
        cold()
        d.call("cuEventRecord", begin, None)
        call()
        d.call("cuEventRecord", end, None)
        pairs.append((begin, end))
    d.synchronize()
    out: list[float] = []
    for begin, end in pairs:
        ms = ctypes.c_float()
        d.call("cuEventElapsedTime", ctypes.byref(ms), begin, end)
        out.append(ms.value)
        for event in (begin, end):
            d.call("cuEventDestroy_v2", event)
    return Timing(tuple(out))


def time_on_cpu(call: Callable[[], object], repeats: int) -> Timing:
    """Time a call by wall-clock time."""
    call()
    out: list[float] = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        out.append((time.perf_counter() - start) * 1e3)
    return Timing(tuple(out))


def copy_timing(nbytes: int = COPY_BYTES, repeats: int = 20) -> Timing:
    """Time a device-to-device copy, the reference for memory-bound kernels."""
    a, b = DeviceArray((nbytes,), np.uint8), DeviceArray((nbytes,), np.uint8)
    return time_on_gpu(lambda: driver().copy(b.pointer, a.pointer, nbytes, 0), repeats)


def copy_bandwidth(nbytes: int = COPY_BYTES, repeats: int = 20) -> float:
    """The bandwidth of such a copy: bytes read plus bytes written, per second."""
    return copy_timing(nbytes, repeats).rate(2.0 * nbytes)
