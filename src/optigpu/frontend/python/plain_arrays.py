"""Arrays for programs that run as plain Python: an index below zero, which NumPy counts from the end, is an error.

Numbers of types that are only stored are read as those of 32 bits, and rounded where they are stored.
"""

from __future__ import annotations

import math
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np

from optigpu.syntax.float_formats import FORMATS
from optigpu.syntax.float_literals import is_too_large, nearest_float
from optigpu.syntax.types import BF16, HALF, TF32, Scalar


class PlainArray(np.ndarray[Any, Any]):
    """An array whose indices are not negative. Integers are kept as Python's, which do not overflow."""

    def __getitem__(self, index: Any) -> Any:
        _require_indices(index)
        found = super().__getitem__(index)
        return np.float32(found) if isinstance(found, np.generic) and found.dtype.name in _NARROW else found

    def __setitem__(self, index: Any, value: Any) -> None:
        _require_indices(index)
        super().__setitem__(index, value)


class Tf32Array(PlainArray):
    """An array of floats that are rounded to `tf32`."""

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, rounded(value, TF32))


_NARROW = frozenset(FORMATS[t].in_arrays for t in (HALF, BF16))


def plain_array(array: Any, elem: Scalar) -> Any:
    """An array as one for plain Python, with elements of this type."""
    return array.view(Tf32Array if elem == TF32 else PlainArray)


def element_dtype(name: str) -> Any:
    """The dtype of this name, of which NumPy lacks bfloat16."""
    if name != FORMATS[BF16].in_arrays:
        return np.dtype(name)
    try:
        return np.dtype(import_module("ml_dtypes").bfloat16)
    except ImportError:
        raise ImportError("NumPy has no bfloat16: install ml_dtypes to run this program as Python") from None


def rounded(value: Any, t: Scalar) -> Any:
    """The nearest number of a type that is only stored, as one of 32 bits."""
    with np.errstate(over="ignore"):
        x = np.float32(value)
    if not math.isfinite(x):
        return x
    exact = Fraction(float(x))
    return np.float32(math.copysign(math.inf, x) if is_too_large(exact, t) else float(nearest_float(exact, t)))


def _require_indices(index: Any) -> None:
    for i in index if isinstance(index, tuple) else (index,):
        if isinstance(i, int | np.integer) and i < 0:
            raise IndexError(f"the index {i} is below zero")
