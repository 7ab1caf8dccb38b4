"""Float literals: the number that C stores for a text, and a text for which C stores a number.

`0.1f` is the float nearest to 1/10, `0.1` the nearest double; both differ from 1/10 and from each other.
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from optigpu.syntax.types import DOUBLE, FLOAT, Scalar

# IEEE 754: bits of the significand, and the largest exponent.
_FORMATS = {FLOAT: (24, 127), DOUBLE: (53, 1023)}
_EXACT = Context(prec=2000)
_ENOUGH = 17  # decimal digits that distinguish any two doubles


def nearest_float(value: Fraction | int, t: Scalar) -> Fraction:
    """Round to a float type: to nearest, ties to even. The value must be in range."""
    digits, most = _FORMATS[t]
    x = abs(Fraction(value))
    if x == 0:
        return Fraction(0)
    exponent = x.numerator.bit_length() - x.denominator.bit_length()
    if x < Fraction(2) ** exponent:
        exponent -= 1  # now 2^exponent <= x < 2^(exponent + 1)
    unit = Fraction(2) ** (max(exponent, 1 - most) - (digits - 1))  # below 2^(1 - most) numbers are subnormal
    rounded = round(x / unit) * unit  # Python rounds halves to even
    return rounded if value > 0 else -rounded


def is_out_of_range(value: Fraction, t: Scalar) -> bool:
    """Whether C rounds this number to infinity, or to zero though it is not zero."""
    digits, most = _FORMATS[t]
    too_large = abs(value) >= 2 ** (most + 1) - 2 ** (most - digits)
    return too_large or 0 < abs(value) <= Fraction(1, 2 ** (most + digits - 1))


def literal_text(value: Fraction, t: Scalar) -> str:
    """The shortest decimal, without a suffix, for which C stores this number of type t."""
    exact = _EXACT.divide(Decimal(value.numerator), Decimal(value.denominator))
    for precision in range(1, _ENOUGH + 1):
        short = Context(prec=precision, rounding=ROUND_HALF_EVEN).plus(exact)
        if not is_out_of_range(Fraction(short), t) and nearest_float(Fraction(short), t) == value:
            return real_text(Fraction(short))
    return real_text(value)  # not a number of this type


def real_text(value: Fraction) -> str:
    """The exact decimal of this number."""
    d = _EXACT.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize()
    if -6 <= d.adjusted() <= 15:
        text = format(d, "f")
        return text if "." in text else text + ".0"
    return format(d, "e").replace("e+", "e")
