"""Arrays of other libraries by the DLPack protocol: JAX's, cuda.core's, and whatever has `__dlpack__`.

https://dmlc.github.io/dlpack/latest/python_spec.html
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from optigpu.light_dataclass import dataclass
from optigpu.runtime.call_error import CallError

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13  # DLDeviceType
LEGACY_STREAM = 1  # the protocol's number for the default stream
READ_ONLY, COPIED = 1, 2  # DLPACK_FLAG_BITMASK_…: must not be written; a copy, in which what is written would be lost
VERSION = (1, 0)
KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 6: "bool"}  # DLDataTypeCode
CODES = {"i": 0, "u": 1, "f": 2, "V": 4, "b": 6}  # by NumPy's kind; V is bfloat16, which has none of its own


class DLDevice(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("number", ctypes.c_int32)]


class DLDataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", DLDevice),
        ("ndim", ctypes.c_int32),
        ("dtype", DLDataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class DLManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


class DLManagedTensorVersioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    ]


@dataclass(frozen=True, slots=True)
class ImportedArray:
    """What a capsule says. The memory lives as long as the capsule."""

    shape: tuple[int, ...]
    dtype: str
    pointer: int
    contiguous: bool
    writeable: bool
    device: tuple[int, int]  # (type, number)
    capsule: object


def device_of(value: Any) -> tuple[int, int]:
    """(type, number) of an array's device."""
    kind, number = value.__dlpack_device__()
    return int(kind), int(number)


def imported(value: Any, stream: int) -> ImportedArray:
    """An array in GPU memory, ready for work on this stream."""
    kind, number = device_of(value)
    if kind not in (CUDA, CUDA_MANAGED):
        raise CallError(f"an array on a device that is neither the host nor an NVIDIA GPU (DLPack's type {kind})")
    wanted = stream or LEGACY_STREAM
    try:
        try:
            capsule = value.__dlpack__(stream=wanted, max_version=VERSION)
        except TypeError:  # a producer from before version 1
            capsule = value.__dlpack__(stream=wanted)
    except (BufferError, RuntimeError, TypeError, ValueError) as e:
        raise CallError(f"an array that its library does not give by DLPack: {e}") from None
    array = described(capsule)
    if array.device[0] not in (CUDA, CUDA_MANAGED) or array.device[1] != number:
        raise CallError(
            f"an array that is on device {number} of DLPack's type {kind} by `__dlpack_device__`, and on device "
            f"{array.device[1]} of type {array.device[0]} by its capsule"
        )
    return array


def described(capsule: object) -> ImportedArray:
    if pointer := _content(capsule, b"dltensor_versioned"):
        versioned = ctypes.cast(pointer, ctypes.POINTER(DLManagedTensorVersioned)).contents
        if versioned.major != VERSION[0]:
            raise CallError(f"an array by DLPack {versioned.major}, of which only version {VERSION[0]} is known here")
        tensor, writeable = versioned.tensor, not versioned.flags & (READ_ONLY | COPIED)
    elif pointer := _content(capsule, b"dltensor"):
        # Before version 1 an array could not say that it must not be written.
        tensor, writeable = ctypes.cast(pointer, ctypes.POINTER(DLManagedTensor)).contents.tensor, False
    else:
        raise CallError("an array whose `__dlpack__` gives no DLPack capsule")
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    strides = tuple(tensor.strides[i] for i in range(tensor.ndim)) if tensor.strides else None
    start = (tensor.data or 0) + tensor.byte_offset
    device = (int(tensor.device.type), int(tensor.device.number))
    return ImportedArray(shape, dtype_name(tensor.dtype), start, is_packed(shape, strides), writeable, device, capsule)


def _content(capsule: object, name: bytes) -> int:
    """The pointer of a capsule of this name; 0 if it has another."""
    api = ctypes.pythonapi
    api.PyCapsule_IsValid.restype, api.PyCapsule_IsValid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return int(api.PyCapsule_GetPointer(capsule, name)) if api.PyCapsule_IsValid(capsule, name) else 0


def dtype_name(t: DLDataType) -> str:
    if t.code not in KINDS or t.lanes != 1:
        return f"DLPack's type ({t.code}, {t.bits} bits, {t.lanes} lanes)"
    return "bool" if KINDS[t.code] == "bool" and t.bits == 8 else f"{KINDS[t.code]}{t.bits}"


def is_packed(shape: Sequence[int], strides: Sequence[int] | None) -> bool:
    """Whether elements are in C's order without gaps; strides count elements."""
    if strides is None or 0 in shape:
        return True
    step = 1
    for n, stride in zip(reversed(shape), reversed(strides)):
        if n != 1 and stride != step:
            return False
        step *= n
    return True


# Our own arrays for other libraries

_exported: dict[int, tuple[object, ...]] = {}  # address of a DLManagedTensor -> what must live as long as it
_capsule_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi)
)
_capsule_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


# Other libraries may give arrays back when the interpreter ends, after this module is gone: what the functions use are their
# arguments, and nothing ends the life of the functions.


def _forget(tensor: int, exported: dict[int, tuple[object, ...]] = _exported) -> None:
    exported.pop(tensor, None)


def _forget_unused(
    capsule: int,
    exported: dict[int, tuple[object, ...]] = _exported,
    valid: Any = _capsule_is_valid,
    pointer: Any = _capsule_pointer,
) -> None:
    """Nobody took the array out of the capsule."""
    if valid(capsule, b"dltensor"):
        exported.pop(int(pointer(capsule, b"dltensor")), None)


_release = DELETER(_forget)
_drop = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(
    _forget_unused
)  # called by Python, which holds the interpreter's lock then
for _function in (_release, _drop):
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_function))


def exported(
    owner: object, pointer: int, shape: tuple[int, ...], dtype: Any, device: int, *, kind: int = CUDA
) -> object:
    """A capsule of an array in C's order, which keeps its owner alive."""
    sizes = (ctypes.c_int64 * max(1, len(shape)))(*shape)
    t = DLDataType(CODES[dtype.kind], 8 * dtype.itemsize, 1)
    tensor = DLTensor(pointer, DLDevice(kind, device), len(shape), t, sizes, None, 0)
    managed = DLManagedTensor(tensor, None, _release)
    _exported[ctypes.addressof(managed)] = (managed, sizes, owner)
    api = ctypes.pythonapi
    api.PyCapsule_New.restype = ctypes.py_object
    api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return api.PyCapsule_New(ctypes.addressof(managed), b"dltensor", ctypes.cast(_drop, ctypes.c_void_p))
