"""One description for arrays of NumPy, PyTorch, CuPy and others. Only NumPy has to be installed."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optigpu.light_dataclass import dataclass
from optigpu.runtime.call_error import CallError
from optigpu.runtime.dlpack import CPU, CUDA_HOST, device_of, imported
from optigpu.runtime.nvcc import gpu_count
from optigpu.runtime.stored_floats import (
    BFLOAT16,
    BYTES_IN_INTERFACE,
    bfloat16_from_dlpack,
    dtype_name,
    dtype_of,
    tensor_in_host_memory,
)
from optigpu.runtime.torch_tensors import address, is_tensor

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
    kind: str  # "numpy", "torch", "cupy", "array" (by __cuda_array_interface__) or "dlpack"
    keep: object = None  # what the memory lives as long as

    @property
    def bytes(self) -> int:
        return dtype_of(self.dtype).itemsize * prod(self.shape)


def view_of(value: object, stream: int = 0) -> ArrayBuffer | None:
    """The description of an array; None for any other object. `stream`: an array by DLPack is ready for work on it."""
    if isinstance(value, np.ndarray):
        return view_of_numpy(value)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        device = value.device.index or 0 if value.is_cuda else None
        dtype = str(value.dtype).removeprefix("torch.")
        if value.is_neg():
            raise CallError("a tensor whose elements are the opposite of what its memory holds (use .resolve_neg())")
        layout = getattr(value, "layout", None)
        if layout is not getattr(torch, "strided", layout):
            raise CallError("a tensor that is not stored as an array (use .to_dense())")
        pointer = address(value)
        if not pointer and 0 not in value.shape and (device is not None or value.device.type == "cpu"):
            raise CallError("a tensor whose memory is not there")
        return ArrayBuffer(tuple(value.shape), dtype, pointer, value.is_contiguous(), True, device, "torch")
    if is_by_dlpack(value):
        return by_dlpack(value, stream)
    interface = interface_of(value)
    return None if interface is None else from_interface(value, interface)


def shape_of(value: object) -> tuple[Any, ...] | None:
    """The sizes of an array; None for what has none."""
    try:
        shape = getattr(value, "shape", None)
    except RuntimeError:  # nested tensors
        raise CallError("a tensor that has no sizes (nested tensors are not stored as one array)") from None
    return tuple(shape) if isinstance(shape, Iterable) else None


def interface_of(value: object) -> dict[str, Any] | None:
    """`__cuda_array_interface__`; None if there is none for this array."""
    try:
        out: dict[str, Any] | None = getattr(value, "__cuda_array_interface__", None)
    except Exception:  # JAX's arrays in host memory, and arrays on several devices
        return None
    return out


def view_of_numpy(array: NDArray[Any]) -> ArrayBuffer:
    flags, shape, dtype = array.flags, tuple(array.shape), dtype_name(array.dtype)
    return ArrayBuffer(shape, dtype, array.ctypes.data, bool(flags.c_contiguous), bool(flags.writeable), None, "numpy")


def is_by_dlpack(value: object) -> bool:
    """Whether an array is used by DLPack: it has no other interface, or one that says that it must not be written. Then DLPack, by
    which its library is asked for a stream, is the better way to read it."""
    torch = sys.modules.get("torch")
    if isinstance(value, np.ndarray | np.generic) or (torch is not None and isinstance(value, torch.Tensor)):
        return False
    if not hasattr(value, "__dlpack_device__"):
        return False
    interface = interface_of(value)
    return interface is None or bool(interface["data"][1])


def by_dlpack(value: Any, stream: int) -> ArrayBuffer:
    if device_of(value)[0] in (CPU, CUDA_HOST):
        return view_of_numpy(host_array(value))
    a = imported(value, stream)
    return ArrayBuffer(a.shape, a.dtype, a.pointer, a.contiguous, a.writeable, a.device[1], "dlpack", a.capsule)


def in_host_memory(function: str, name: str, value: Any) -> Any:
    """A tensor or an array by DLPack in host memory as a NumPy array that shares it; another value as it is."""
    if is_by_dlpack(value):
        return host_array(value)
    if not is_tensor(value):
        return value
    view_of(value)  # what cannot be an array is an error
    try:
        return tensor_in_host_memory(sys.modules["torch"], value)
    except (
        RuntimeError,
        TypeError,
        AssertionError,
    ) as e:  # it is on a GPU, sparse, of a type unknown to NumPy, or made fake
        raise CallError(f"{function}: `{name}` cannot be used as an array: {e}") from None


def host_array(value: Any) -> Any:
    """An array in host memory as a NumPy array that shares it; one that its library copies is read-only."""
    if str(getattr(value, "dtype", "")) == BFLOAT16 and (bits := bfloat16_from_dlpack(value)) is not None:
        return bits
    try:
        return np.from_dlpack(value, copy=False)
    except (AttributeError, BufferError, RuntimeError, TypeError, ValueError):
        pass  # it has to be copied, or cannot tell
    try:
        array = np.from_dlpack(value).view()
    except (AttributeError, BufferError, RuntimeError, TypeError, ValueError) as e:
        raise CallError(f"an array that NumPy cannot use: {e}") from None
    array.flags.writeable = False
    return array


def from_interface(value: Any, interface: dict[str, Any]) -> ArrayBuffer:
    """The description by __cuda_array_interface__, which CuPy, Numba and others provide."""
    try:
        shape = tuple(int(n) for n in interface["shape"])
        typestr = interface["typestr"]
        dtype = dtype_of(BFLOAT16) if typestr == BYTES_IN_INTERFACE else np.dtype(typestr)
        pointer, read_only = interface["data"]
        strides = interface.get("strides")
    except (KeyError, TypeError, ValueError) as e:
        raise CallError(f"an array whose __cuda_array_interface__ cannot be read: {e}") from None
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
        shape, dtype_name(dtype), int(pointer or 0), contiguous, not read_only, number, "cupy" if is_cupy else "array"
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
