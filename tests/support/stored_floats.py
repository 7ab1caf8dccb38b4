"""Rounding to `half`, `bf16` and `tf32` by looking at all of their numbers: a reference that shares nothing with what it tests."""

from __future__ import annotations

import struct
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

PATTERNS = np.arange(1 << 16, dtype=np.uint16)
STORED = ("half", "bf16", "tf32")
DIGITS = {"half": 10, "bf16": 7, "tf32": 10}  # of the mantissa, explicit ones


def widened(name: str, patterns: NDArray[np.uint16]) -> NDArray[np.float64]:
    """The numbers that bits of `half` or `bf16` are."""
    if name == "half":
        return np.array([struct.unpack("<e", struct.pack("<H", int(b)))[0] for b in patterns])
    return np.array([bfloat16(int(b)) for b in patterns])


def bfloat16(bits: int) -> float:
    sign, exponent, mantissa = -1.0 if bits >> 15 else 1.0, bits >> 7 & 255, bits & 127
    if exponent == 255:
        return float("nan") if mantissa else sign * float("inf")
    whole = mantissa + 128 if exponent else mantissa
    return sign * whole * 2.0 ** ((exponent or 1) - 127 - 7)


@cache
def magnitudes(name: str) -> NDArray[np.float64]:
    """All numbers that are not negative, in order; then the one that would come after the largest, which is an infinity."""
    if name == "tf32":
        bits = np.arange(0, 0x7F800000, 1 << 13, dtype=np.uint32)
        finite = bits.view(np.float32).astype(np.float64)
        return np.append(finite, 2.0**128)
    finite = widened(name, PATTERNS[: 0x7C00 if name == "half" else 0x7F80])
    return np.append(finite, 2.0**16 if name == "half" else 2.0**128)


def rounded(name: str, numbers: NDArray[np.float32]) -> NDArray[np.float64]:
    """The nearest number of the type; halfway between two, the one with an even mantissa, or for `tf32` the greater magnitude."""
    with np.errstate(invalid="ignore"):  # conversions of signalling NaN
        signs, known = numbers.astype(np.float64), magnitudes(name)
    x = np.abs(signs)
    above = np.clip(np.searchsorted(known, x), 1, len(known) - 1)
    low, high = known[above - 1], known[above]
    to_low, to_high = x - low, high - x
    up = (to_high < to_low) | ((to_high == to_low) & ((above % 2 == 0) | (name == "tf32")))
    nearest = np.where(up, high, low)
    nearest = np.where((nearest == known[-1]) | np.isinf(x), np.inf, nearest)
    return np.where(np.isnan(x), np.nan, np.copysign(nearest, signs))


def interesting_floats(name: str, seed: int = 0, count: int = 60_000) -> NDArray[np.float32]:
    """Floats of all sizes; numbers halfway between two of the type, and their neighbours; infinities, NaN, zeros."""
    rng = np.random.default_rng(seed)
    anything = rng.integers(0, 1 << 32, count, dtype=np.uint32).view(np.float32)
    known = magnitudes(name)
    at = rng.integers(0, len(known) - 1, count)
    halfway = ((known[at] + known[at + 1]) / 2).astype(np.float32)
    ordinary = (rng.standard_normal(count) * 10.0 ** rng.integers(-6, 6, count)).astype(np.float32)
    near = [np.nextafter(halfway, np.float32(0)), halfway, np.nextafter(halfway, np.float32(np.inf))]
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 65504, 65519.99, 65520, 65536, 3.4e38, 1e-45], np.float32)
    positive = np.concatenate([anything, *near, ordinary, special])
    return np.concatenate([positive, -positive])


def same(a: Any, b: Any) -> bool:
    """Whether two arrays of floats are equal, zeros with their signs; NaN is NaN."""
    with np.errstate(invalid="ignore"):  # conversions of signalling NaN
        x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
    numbers = (x == y) & (np.signbit(x) == np.signbit(y))
    return bool(np.all(numbers | (np.isnan(x) & np.isnan(y))))
