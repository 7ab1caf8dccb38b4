"""Numbers of types that are only stored (`half`, `bf16`, `tf32`) in calls: rounding, their bits, arrays of them.

NumPy has no bfloat16. The package ml_dtypes adds it, and is used if it is installed. Without it, arrays of PyTorch's bfloat16 are
seen as arrays of their bits.
"""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optigpu.light_dataclass import dataclass
from optigpu.runtime.call_error import CallError
from optigpu.runtime.dlpack import VERSION, ImportedArray, described
from optigpu.syntax.float_formats import FORMATS
from optigpu.syntax.types import BF16, DOUBLE, FLOAT, HALF, TF32, Scalar

BFLOAT16 = FORMATS[BF16].in_arrays
BITS_OF_BFLOAT16 = np.dtype([(BFLOAT16, np.uint16)])  # in the place of ml_dtypes' type
BYTES_IN_INTERFACE = "<V2"  # what PyTorch and ml_dtypes call bfloat16 in `__cuda_array_interface__`


# Numbers


def _float(x: float) -> float:
    return ctypes.c_float(x).value


def _bits(x: float) -> int:
    bits: int = struct.unpack("<I", struct.pack("<f", _float(x)))[0]
    return bits


def _of_bits(bits: int) -> float:
    x: float = struct.unpack("<f", struct.pack("<I", bits))[0]
    return x


def bits_of_half(x: float) -> int:
    try:
        packed = struct.pack("<e", _float(x))
    except OverflowError:
        packed = struct.pack("<e", math.copysign(math.inf, x))
    bits: int = struct.unpack("<H", packed)[0]
    return bits


def half_of_bits(bits: int) -> float:
    x: float = struct.unpack("<e", struct.pack("<H", bits))[0]
    return x


def bits_of_bf16(x: float) -> int:
    bits = _bits(x)
    return bits >> 16 | 0x40 if math.isnan(x) else bits + 0x7FFF + (bits >> 16 & 1) >> 16


def bf16_of_bits(bits: int) -> float:
    return _of_bits(bits << 16)


def _tf32(x: float) -> float:
    bits = _bits(x)
    return _float(x) if bits & 0x7F800000 == 0x7F800000 else _of_bits(bits + 0x1000 & 0xFFFFE000)


# To the nearest number of a type, as emitted code rounds: first to `float`. A number that is too large becomes infinite.
ROUNDING: dict[Scalar, Callable[[float], float]] = {
    DOUBLE: float,
    FLOAT: _float,
    HALF: lambda x: half_of_bits(bits_of_half(x)),
    BF16: lambda x: bf16_of_bits(bits_of_bf16(x)),
    TF32: _tf32,
}


@dataclass(frozen=True, slots=True)
class Encoding:
    """How numbers of 16 bits are passed to compiled code. As an element of `argtypes`, it takes Python's floats."""

    encode: Callable[[float], int]
    decode: Callable[[int], float]

    def from_param(self, value: float) -> ctypes.c_uint16:
        return ctypes.c_uint16(self.encode(value))


ENCODINGS: dict[Scalar, Encoding] = {
    HALF: Encoding(bits_of_half, half_of_bits),
    BF16: Encoding(bits_of_bf16, bf16_of_bits),
}


# Arrays


@cache
def _ml_dtypes() -> Any:
    try:
        return import_module("ml_dtypes")
    except ImportError:
        return None


def dtype_of(name: str) -> np.dtype[Any]:
    """The dtype of NumPy's arrays with elements of this name."""
    if name != BFLOAT16:
        return np.dtype(name)
    return BITS_OF_BFLOAT16 if _ml_dtypes() is None else np.dtype(_ml_dtypes().bfloat16)


def dtype_name(dtype: np.dtype[Any]) -> str:
    return BFLOAT16 if dtype == BITS_OF_BFLOAT16 else str(dtype)


def new_dtype(name: str, what: str) -> np.dtype[Any]:
    """`dtype_of` for an array of NumPy that a call returns."""
    dtype = dtype_of(name)
    if dtype == BITS_OF_BFLOAT16:
        raise CallError(f"{what} holds bfloat16, which NumPy lacks: install ml_dtypes, or give PyTorch's tensors")
    return dtype


def array_of(numbers: Sequence[Any], name: str) -> NDArray[Any]:
    """An array of NumPy with elements of this name, also where NumPy lacks them."""
    dtype = dtype_of(name)
    if dtype == BITS_OF_BFLOAT16:
        return np.array([bits_of_bf16(x) for x in numbers], np.uint16).view(dtype)
    return np.array(numbers, dtype)


def is_bfloat16(dtype: np.dtype[Any]) -> bool:
    return dtype_name(dtype) == BFLOAT16


def as_doubles(array: NDArray[Any]) -> NDArray[np.float64]:
    """The numbers of an array of floats of any kind."""
    if array.dtype == BITS_OF_BFLOAT16:
        bits = np.asarray(array[BFLOAT16].astype(np.uint32) << np.uint32(16))
        array = bits.view(np.float32)
    with np.errstate(invalid="ignore"):  # NaN that would signal
        return array.astype(np.float64)


def tensor_in_host_memory(torch: Any, tensor: Any) -> Any:
    """A tensor as a NumPy array that shares its memory."""
    if str(tensor.dtype) == f"torch.{BFLOAT16}":
        return tensor.detach().view(torch.int16).numpy().view(dtype_of(BFLOAT16))
    return tensor.detach().numpy()


class _Memory:
    """Memory of another library, as NumPy reads it."""

    def __init__(self, a: ImportedArray) -> None:
        self.keep = a
        self.__array_interface__ = {
            "shape": a.shape, "typestr": "<u2", "data": (a.pointer, not a.writeable), "version": 3,
        }  # fmt: skip


def bfloat16_from_dlpack(value: Any) -> NDArray[Any] | None:
    """An array of bfloat16 in host memory, which NumPy does not take by DLPack; None for any other."""
    try:
        capsule = value.__dlpack__(max_version=VERSION)
    except TypeError:  # a producer from before version 1
        capsule = value.__dlpack__()
    a = described(capsule)
    usable = a.dtype == BFLOAT16 and a.contiguous and a.pointer
    return np.asarray(_Memory(a)).view(dtype_of(BFLOAT16)) if usable else None
