"""The CUDA driver API by ctypes: device memory, modules and launches without PyTorch or CuPy."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from math import prod
from typing import Any

import numpy as np

from optigpu.codegen.launch_plan import MOST_EXTENT
from optigpu.runtime.call_error import BuildError, CallError
from optigpu.runtime.dlpack import CUDA, exported
from optigpu.runtime.stored_floats import BYTES_IN_INTERFACE, dtype_of, is_bfloat16
from optigpu.syntax.types import Scalar

MAX_DYNAMIC_SHARED_SIZE_BYTES = 8  # CU_FUNC_ATTRIBUTE_…
SHARED_WITHOUT_OPT_IN = 48 * 1024
MAX_ARRAY_BYTES = 2**63 - 1
COMPUTE_CAPABILITY_MAJOR = 75  # CU_DEVICE_ATTRIBUTE_…
TENSOR_MAP_WORDS = 16  # of 8 bytes, at a multiple of 64 bytes
MAP_TYPES = {"half": 6, "float": 7, "bf16": 9, "tf32": 11}  # CU_TENSOR_MAP_DATA_TYPE_…
L2_PROMOTION_256B = 3


class Driver:
    """Calls of libcuda in the primary context of a GPU, which compiled code and other libraries share."""

    def __init__(self, number: int = 0) -> None:
        try:
            self.library = ctypes.CDLL("libcuda.so.1")
        except OSError:
            raise BuildError("no GPU was found: its driver (libcuda.so.1) is not installed") from None
        self.call("cuInit", 0)
        self.device, self.context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(self.device), number)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), self.device)
        before = ctypes.c_void_p()
        self.call("cuCtxGetCurrent", ctypes.byref(before))
        if not before:  # otherwise keep the caller's
            self.call("cuCtxSetCurrent", self.context)

    def call(self, name: str, *args: Any) -> None:
        status = getattr(self.library, name)(*args)
        if status != 0:
            text = ctypes.c_char_p()
            self.library.cuGetErrorString(status, ctypes.byref(text))
            reason = (text.value or b"unknown error").decode()
            raise CallError(f"{name}: {reason}")

    @contextmanager
    def current(self) -> Iterator[None]:
        """Make this GPU's context the current one."""
        self.call("cuCtxPushCurrent_v2", self.context)
        try:
            yield
        finally:
            self.library.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))

    def allocate(self, nbytes: int) -> int:
        pointer = ctypes.c_uint64(0)
        if nbytes:
            self.call("cuMemAlloc_v2", ctypes.byref(pointer), size_of(nbytes))
        return pointer.value

    def free(self, pointer: int) -> None:
        if pointer:
            self.library.cuMemFree_v2(ctypes.c_uint64(pointer))

    def scratch(self, nbytes: int, stream: int) -> int:
        """Stream-ordered memory."""
        pointer = ctypes.c_uint64(0)
        if nbytes:
            self.call("cuMemAllocAsync", ctypes.byref(pointer), size_of(nbytes), ctypes.c_void_p(stream))
        return pointer.value

    def free_scratch(self, pointer: int, stream: int) -> None:
        if pointer:
            self.library.cuMemFreeAsync(ctypes.c_uint64(pointer), ctypes.c_void_p(stream))

    def copy_in(self, device: int, host: int, nbytes: int) -> None:
        if nbytes:
            self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(device), ctypes.c_void_p(host), ctypes.c_size_t(nbytes))

    def copy_out(self, host: int, device: int, nbytes: int) -> None:
        if nbytes:
            self.call("cuMemcpyDtoH_v2", ctypes.c_void_p(host), ctypes.c_uint64(device), ctypes.c_size_t(nbytes))

    def copy(self, to: int, source: int, nbytes: int, stream: int) -> None:
        if nbytes:
            place, origin = ctypes.c_uint64(to), ctypes.c_uint64(source)
            self.call("cuMemcpyDtoDAsync_v2", place, origin, ctypes.c_size_t(nbytes), ctypes.c_void_p(stream))

    def synchronize(self) -> None:
        self.call("cuCtxSynchronize")

    def synchronize_stream(self, stream: int) -> None:
        self.call("cuStreamSynchronize", ctypes.c_void_p(stream))

    def load(self, image: bytes) -> ctypes.c_void_p:
        """A module from a cubin."""
        module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), image)
        return module

    def function(self, module: ctypes.c_void_p, name: str) -> ctypes.c_void_p:
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

    def has_bulk_copies(self) -> bool:
        """Whether this GPU copies tiles by itself: from compute capability 9.0 on."""
        major = ctypes.c_int(0)
        self.call("cuDeviceGetAttribute", ctypes.byref(major), COMPUTE_CAPABILITY_MAJOR, self.device)
        return major.value >= 9

    def tensor_map(self, elem: Scalar, pointer: int, sizes: Sequence[int], rows: int, cols: int) -> Any:
        """How bulk copies find tiles of `rows` x `cols` elements in an array; None where they cannot, as where its rows are not
        aligned. The same as `describe_tiles` in emitted text."""
        encode = getattr(self.library, "cuTensorMapEncodeTiled", None)
        rank, row_bytes = len(sizes), min(128, cols * elem.size)
        dims = list(reversed(sizes))
        strides = [elem.size * prod(dims[: n + 1]) for n in range(rank)]
        if (
            encode is None
            or not 0 < min(sizes) <= max(sizes) <= MOST_EXTENT
            or any(x % 16 for x in (pointer, *strides[:-1]))
        ):
            return None
        box = [row_bytes // elem.size, rows, 1, 1, 1][:rank]
        out = (ctypes.c_uint64 * (2 * TENSOR_MAP_WORDS))()
        start = -(-ctypes.addressof(out) // 64) * 64 - ctypes.addressof(out)
        aligned = (ctypes.c_uint64 * TENSOR_MAP_WORDS).from_buffer(out, start)
        many, few = ctypes.c_uint64 * rank, ctypes.c_uint32 * rank
        swizzle = {32: 1, 64: 2, 128: 3}[row_bytes]
        status = encode(
            aligned, MAP_TYPES[elem.name], rank, ctypes.c_void_p(pointer), many(*dims), many(*strides), few(*box), few(*[1] * rank),
            0, swizzle, L2_PROMOTION_256B, 0,
        )  # fmt: skip
        return aligned if status == 0 else None

    def launch(
        self,
        function: ctypes.c_void_p,
        grid: Sequence[int],
        block: Sequence[int],
        shared_bytes: int,
        stream: int,
        args: Sequence[Any],
    ) -> None:
        """Launch a kernel; `args` are ctypes values."""
        if shared_bytes > SHARED_WITHOUT_OPT_IN:
            self.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED_SIZE_BYTES, ctypes.c_int(shared_bytes))
        pointers = (ctypes.c_void_p * max(1, len(args)))(*(ctypes.addressof(a) for a in args))
        sizes = [ctypes.c_uint(n) for d in (grid, block) for n in (*d, 1, 1)[:3]]
        shared = ctypes.c_uint(shared_bytes)
        self.call("cuLaunchKernel", function, *sizes, shared, ctypes.c_void_p(stream), pointers, None)


def size_of(nbytes: int) -> ctypes.c_size_t:
    """A size as size_t; ctypes would truncate a larger number."""
    if nbytes > MAX_ARRAY_BYTES:
        raise CallError(f"out of memory: {nbytes} bytes are more than can be addressed")
    return ctypes.c_size_t(nbytes)


@cache
def driver(number: int = 0) -> Driver:
    return Driver(number)


class DeviceArray:
    """An array in GPU memory. CudaFunction, CuPy and PyTorch (`torch.as_tensor`) accept it by __cuda_array_interface__."""

    def __init__(self, shape: tuple[int, ...], dtype: Any, device: int = 0) -> None:
        self.pointer = 0
        self.device = device
        self.shape, self.dtype = shape, dtype_of(dtype) if isinstance(dtype, str) else np.dtype(dtype)
        self.nbytes = prod(shape) * self.dtype.itemsize  # exact, also for sizes that no memory has
        d = driver(device)
        with d.current():
            self.pointer = d.allocate(self.nbytes)

    @staticmethod
    def of(array: Any, device: int = 0) -> DeviceArray:
        """A copy of a NumPy array."""
        array = np.ascontiguousarray(array)
        out, d = DeviceArray(array.shape, array.dtype, device), driver(device)
        with d.current():
            d.copy_in(out.pointer, array.ctypes.data, out.nbytes)
        return out

    def get(self) -> Any:
        """A copy in host memory."""
        out = np.empty(self.shape, self.dtype)
        d = driver(self.device)
        with d.current():
            d.copy_out(out.ctypes.data, self.pointer, self.nbytes)
        return out

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": BYTES_IN_INTERFACE if is_bfloat16(self.dtype) else self.dtype.str,
            "data": (self.pointer, False),
            "strides": None,
            "version": 3,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA, self.device

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object:
        """A DLPack capsule. Work that was given the default stream is finished first, since another stream does not wait for it."""
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"this array is on GPU {self.device}, and is not copied to another device")
        d = driver(self.device)
        array = DeviceArray(self.shape, self.dtype, self.device) if copy else self
        with d.current():
            if copy:
                d.copy(array.pointer, self.pointer, self.nbytes, 0)
            d.synchronize_stream(0)
        return exported(array, array.pointer, array.shape, array.dtype, array.device)

    def __del__(self) -> None:
        if self.pointer:
            d = driver(self.device)
            with d.current():
                d.free(self.pointer)
