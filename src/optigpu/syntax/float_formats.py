"""The formats of the float types: what numbers each of them has, and what it is called elsewhere.

`half`, `bf16` and `tf32` are types of numbers in memory. They are converted to `float` before anything is computed, and only a
conversion from `float` makes one of them, which rounds.
"""

from __future__ import annotations

from fractions import Fraction

from optigpu.light_dataclass import dataclass
from optigpu.syntax.types import BF16, DOUBLE, FLOAT, HALF, STORED_FLOATS, TF32, Scalar


@dataclass(frozen=True, slots=True)
class FloatFormat:
    """A binary format: `digits` bits of significand, the first of which is not stored, and exponents from 1 - most to most."""

    type: Scalar
    digits: int
    most: int
    in_c: str  # its type in emitted C
    in_cuda: str  # in emitted CUDA
    in_arrays: str  # the dtype of arrays of NumPy, PyTorch and CuPy that hold it
    in_python: str  # og.f16
    ties_away: bool = False  # numbers halfway between two are rounded away from zero, instead of to the even one

    @property
    def largest(self) -> Fraction:
        return (2 - Fraction(1, 1 << (self.digits - 1))) * (1 << self.most)

    @property
    def least(self) -> Fraction:
        """The least positive number, which is subnormal."""
        return Fraction(1, 1 << (self.most + self.digits - 2))

    @property
    def exact_integers(self) -> int:
        """Integers up to this one, and down to its opposite, are all numbers of the format."""
        return 1 << self.digits

    @property
    def unit_roundoff(self) -> Fraction:
        """The greatest relative error of rounding to a normal number."""
        return Fraction(1, 1 << self.digits)


FORMATS: dict[Scalar, FloatFormat] = {
    f.type: f
    for f in (
        FloatFormat(FLOAT, 24, 127, "float", "float", "float32", "f32"),
        FloatFormat(DOUBLE, 53, 1023, "double", "double", "float64", "f64"),
        FloatFormat(HALF, 11, 15, "uint16_t", "__half", "float16", "f16"),
        FloatFormat(BF16, 8, 127, "uint16_t", "__nv_bfloat16", "bfloat16", "bf16"),
        FloatFormat(TF32, 11, 127, "float", "float", "float32", "tf32", ties_away=True),
    )
}


def is_stored_float(t: object) -> bool:
    """Whether this is a type of numbers that are only stored."""
    return t in STORED_FLOATS
