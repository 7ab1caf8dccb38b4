"""Float literals: the number that C stores for a text, and a text for which C stores a number.

`0.1f` is the float nearest to 1/10, `0.1` the nearest double; both differ from 1/10 and from each other.
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from optigpu.syntax.float_formats import FORMATS
from optigpu.syntax.types import Scalar

_EXACT = Context(prec=2000)
_ENOUGH = 17  # decimal digits that distinguish any two doubles


def nearest_float(value: Fraction | int, t: Scalar) -> Fraction:
    """Round to a float type: to nearest, ties as its format says. The value must be in range."""
    f = FORMATS[t]
    x = abs(Fraction(value))
    if x == 0:
        return Fraction(0)
    exponent = x.numerator.bit_length() - x.denominator.bit_length()
    if x < Fraction(2) ** exponent:
        exponent -= 1  # now 2^exponent <= x < 2^(exponent + 1)
    unit = Fraction(2) ** (max(exponent, 1 - f.most) - (f.digits - 1))  # below 2^(1 - most) numbers are subnormal
    units = x / unit
    whole = (units + Fraction(1, 2)).__floor__() if f.ties_away else round(units)  # Python rounds halves to even
    return whole * unit if value > 0 else -whole * unit


def is_too_large(value: Fraction | int, t: Scalar) -> bool:
    """Whether rounding to this type gives an infinity: the number is at least halfway to the one after the largest."""
    f = FORMATS[t]
    return abs(Fraction(value)) >= f.largest + Fraction(1 << f.most, 1 << f.digits)


def is_out_of_range(value: Fraction, t: Scalar) -> bool:
    """Whether C rounds this number to infinity, or to zero though it is not zero."""
    return is_too_large(value, t) or (value != 0 and abs(value) <= FORMATS[t].least and nearest_float(value, t) == 0)


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
