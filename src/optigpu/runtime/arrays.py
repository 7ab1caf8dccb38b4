"""One description for arrays of NumPy, PyTorch and CuPy. Only NumPy has to be installed."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import numpy as np

from optigpu.light_dataclass import dataclass
from optigpu.runtime.call_error import CallError
from optigpu.runtime.nvcc import gpu_count

DEVICE_ORDINAL = 9  # CU_POINTER_ATTRIBUTE_…
DEFAULT_STREAM = 1  # its number in the __cuda_array_interface__ protocol


@dataclass(frozen=True, slots=True)
class ArrayBuffer:
    """Pointer, shape and layout of an array. `device`: the GPU's number, None for host memory."""

    shape: tuple[int, ...]
    dtype: str
    pointer: int
    contiguous: bool
    writeable: bool
    device: int | None
    kind: str  # "numpy", "torch", "cupy" or "array"

    @property
    def bytes(self) -> int:
        return int(np.dtype(self.dtype).itemsize * np.prod(self.shape, dtype=np.int64))


def view_of(value: object) -> ArrayBuffer | None:
    """The description of an array; None for any other object."""
    if isinstance(value, np.ndarray):
        flags = value.flags
        return ArrayBuffer(
            tuple(value.shape), str(value.dtype), value.ctypes.data, bool(flags.c_contiguous), bool(flags.writeable), None, "numpy"
        )  # fmt: skip
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        device = value.device.index or 0 if value.is_cuda else None
        dtype = str(value.dtype).removeprefix("torch.")
        if value.is_neg():
            raise CallError("a tensor whose elements are the opposite of what its memory holds (use .resolve_neg())")
        return ArrayBuffer(tuple(value.shape), dtype, value.data_ptr(), value.is_contiguous(), True, device, "torch")
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is not None:
        return from_interface(value, interface)
    return None


def from_interface(value: Any, interface: dict[str, Any]) -> ArrayBuffer:
    """The description by __cuda_array_interface__, which CuPy, Numba and others provide."""
    shape = tuple(int(n) for n in interface["shape"])
    dtype = np.dtype(interface["typestr"])
    pointer, read_only = interface["data"]
    strides = interface.get("strides")
    packed: list[int] = []
    step = dtype.itemsize
    for n in reversed(shape):
        packed.append(step)
        step *= n
    contiguous = strides is None or tuple(strides) == tuple(reversed(packed)) or 0 in shape
    cupy = sys.modules.get("cupy")
    is_cupy = cupy is not None and isinstance(value, cupy.ndarray)
    number = int(value.device.id) if is_cupy else gpu_of_pointer(int(pointer or 0))
    if interface.get("mask") is not None:
        raise CallError("an array with a mask: some of its elements are none")
    if not is_cupy and interface.get("stream") not in (None, DEFAULT_STREAM):
        raise CallError(
            "an array that is being written on a stream of its own: synchronise it, and give it without the stream"
        )
    return ArrayBuffer(
        shape, str(dtype), int(pointer or 0), contiguous, not read_only, number, "cupy" if is_cupy else "array"
    )


def gpu_of_pointer(pointer: int) -> int:
    """The GPU that the driver reports for a pointer; GPU 0 if it reports none."""
    if gpu_count() < 2 or not pointer:
        return 0
    number = ctypes.c_int(0)
    library = ctypes.CDLL("libcuda.so.1")
    device = library.cuPointerGetAttribute(ctypes.byref(number), DEVICE_ORDINAL, ctypes.c_uint64(pointer)) == 0
    return number.value if device else 0


def current_stream(views: list[ArrayBuffer]) -> int:
    """The current stream of the libraries that own these arrays. Two different streams are refused: their work is not ordered."""
    kinds = {v.kind for v in views}
    streams: set[int] = set()
    if "torch" in kinds:
        streams.add(int(sys.modules["torch"].cuda.current_stream().cuda_stream))
    if "cupy" in kinds:
        streams.add(int(sys.modules["cupy"].cuda.get_current_stream().ptr))
    if "array" in kinds:
        streams.add(0)
    if len(streams) > 1:
        raise CallError("the arrays are of libraries on two streams: make one stream current in all of them")
    return next(iter(streams), 0)
