"""Numbers at run time: checked integers, and real numbers in the place of floats.

An expression on signed integers has its mathematical value; a value that is stored, passed, returned or converted has to fit its
type (OG209). Unsigned arithmetic is modulo 2^bits. A float is the real number it denotes, without rounding: an int, a Fraction,
or, once a square root, exponential or the like is involved, a Python float. Exact numbers are compared exactly, others with a
tolerance, so that a test fails because a program is wrong and not because of rounding. Conversions to `half`, `bf16` and `tf32`
round; how such numbers are compared is in `rounded_numbers.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

from optigpu.interp.misbehaviour import Misbehaviour
from optigpu.interp.rounded_numbers import (
    Number,
    Plain,
    Rounded,
    divided,
    extreme,
    lifted,
    may_agree,
    plain,
    stored,
)
from optigpu.syntax.float_formats import is_stored_float
from optigpu.syntax.float_literals import is_out_of_range, nearest_float
from optigpu.syntax.source import Loc
from optigpu.syntax.types import Kind, Scalar

# The value of an expression or formula: a Number, a truth value, a range, a MemoryView or a function, as its checked type tells.
RuntimeValue: TypeAlias = Any
TOLERANCE = 1e-7


def close(a: Number, b: Number) -> bool:
    """Equality of reals: exact for exact numbers, within TOLERANCE for Python floats, and within their errors for rounded ones."""
    if a.__class__ is Rounded or b.__class__ is Rounded:
        return may_agree(a, b, TOLERANCE)
    if not (isinstance(a, float) or isinstance(b, float)):
        return a == b
    x, y = float(a), float(b)
    return x == y or abs(x - y) <= TOLERANCE * (1 + abs(x) + abs(y)) or (math.isnan(x) and math.isnan(y))


def fit(value: int, t: Scalar, loc: Loc, what: str) -> int:
    """The value itself, if it is in the range of the type (OG209). The integers of formulas (`bits == 0`) have no bounds."""
    if t.bits and not t.low <= value <= t.high:
        raise Misbehaviour("OG209", f"{what} is {value}, which overflows `{t.name}`", loc)
    return value


def truncating_divide(a: int, b: int, loc: Loc) -> int:
    """C's `/` on integers, which rounds towards zero (OG206)."""
    if b == 0:
        raise Misbehaviour("OG206", "division by zero", loc)
    q = abs(a) // abs(b)
    return q if (a >= 0) == (b >= 0) else -q


def truncating_remainder(a: int, b: int, loc: Loc) -> int:
    """C's `%`, which has the sign of the dividend (OG206)."""
    if b == 0:
        raise Misbehaviour("OG206", "remainder of a division by zero", loc)
    return a - b * truncating_divide(a, b, loc)


def exact_divide(a: int, b: int, loc: Loc) -> int:
    """`exact_div(a, b)`: b must divide a (OG206, OG207)."""
    if b == 0:
        raise Misbehaviour("OG206", "division by zero", loc)
    if a % b != 0:
        raise Misbehaviour("OG207", f"exact_div({a}, {b}): {b} does not divide {a}", loc)
    return a // b


def real_divide(a: Number, b: Number, loc: Loc) -> Number:
    """`/` on floats: division by zero is an error (OG206), not infinity."""
    if b == 0:
        raise Misbehaviour("OG206", "division by zero", loc)
    if isinstance(a, Rounded) or isinstance(b, Rounded):
        return divided(a, b)
    if isinstance(a, float) or isinstance(b, float):
        return a / b
    return simplest(Fraction(a) / Fraction(b))


def simplest(x: Fraction) -> Plain:
    """A whole fraction as an int, which is faster."""
    return x.numerator if x.denominator == 1 else x


def shift(op: str, a: int, b: int, bits: int, loc: Loc) -> int:
    """`<<` and `>>`: the left operand is not negative, and the right one is less than the number of bits (OG208)."""
    if b < 0 or (bits and b >= bits):
        raise Misbehaviour("OG208", f"a shift by {b}", loc)
    if a < 0:
        raise Misbehaviour("OG208", f"a shift of the negative number {a}", loc)
    return a << b if op == "<<" else a >> b


def bitwise(op: str, a: int, b: int, loc: Loc) -> int:
    """`&`, `|` and `^` on numbers that are not negative (OG208)."""
    if a < 0 or b < 0:
        raise Misbehaviour("OG208", f"`{op}` on the negative number {min(a, b)}", loc)
    return {"&": a & b, "|": a | b, "^": a ^ b}[op]


def real_to_int(x: Number, t: Scalar, loc: Loc) -> int:
    """A float converted to an integer type: truncated towards zero. What does not fit a signed type of 32 or 64 bits becomes 0,
    as in emitted C; it must fit narrower and unsigned types (OG209)."""
    number = plain(x)
    finite = not isinstance(number, float) or math.isfinite(number)
    if t.signed and t.bits >= 32:
        return math.trunc(number) if finite and t.low <= math.trunc(number) <= t.high else 0
    if not finite:
        raise Misbehaviour("OG209", f"{number} is no integer", loc)
    return fit(math.trunc(number), t, loc, "the value")


def wrap(value: int, t: Scalar) -> int:
    """The value modulo 2^bits of an unsigned type."""
    return value & ((1 << t.bits) - 1)


def atomic_result(operator: str, old: Number, value: Number, t: Scalar, loc: Loc, *, alone: bool) -> Number:
    """What an atomic operation leaves. Integers are added modulo 2^bits; signed ones have to fit where the order is known."""
    match operator:
        case "atomicAdd" if t.kind is Kind.INT and not (alone and t.signed):
            return (int(plain(old + value)) - t.low) % (1 << t.bits) + t.low
        case "atomicAdd":
            return convert(old + value, t, loc)
        case "atomicMin":
            return min(old, value)
        case "atomicMax":
            return max(old, value)
        case _:
            a, b = int(plain(old)), int(plain(value))
            return {"atomicAnd": a & b, "atomicOr": a | b, "atomicXor": a ^ b}[operator]


def convert(x: Number, t: Scalar, loc: Loc, *, explicit: bool = False) -> Number:
    """Convert to a type. An integer that does not fit is an error (OG209), except that an explicit cast to an unsigned type
    wraps. A number converted to `float` or `double` keeps its value."""
    match t.kind:
        case Kind.BOOL:
            return x != 0
        case Kind.INT:
            if explicit and t.bits and not t.signed and isinstance(x, int):
                return wrap(int(x), t)
            return fit(int(x), t, loc, "the value") if isinstance(x, int) else real_to_int(x, t, loc)
        case Kind.FLOAT:
            x = int(x) if isinstance(x, bool) else x
            return stored(x, t) if is_stored_float(t) else x


def rounded(x: Number, t: Scalar) -> Number:
    """A constant converted to a float type, which the compiler rounds to the nearest number of the type."""
    return x if isinstance(x, float | Rounded) or is_out_of_range(Fraction(x), t) else simplest(nearest_float(x, t))


def _sqrt(x: Plain) -> Plain:
    if x < 0:
        return math.nan
    if isinstance(x, int):
        r = math.isqrt(x)
        if r * r == x:
            return r
    return math.sqrt(x)


def _exp(x: Plain) -> Plain:
    if x == 0:
        return 1
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _or_infinite(function: Callable[[float], float], x: Plain) -> Plain:
    try:
        return function(float(x))
    except OverflowError:
        return math.copysign(math.inf, function(math.copysign(1.0, x)))


def _log(x: Plain) -> Plain:
    if x <= 0:
        return -math.inf if x == 0 else math.nan
    return 0 if x == 1 else math.log(x)


def _pow(x: Plain, y: Plain) -> Plain:
    if isinstance(y, int) and not isinstance(x, float) and 0 <= y < 64:
        return simplest(Fraction(x) ** y) if isinstance(x, Fraction) else x**y
    try:
        return math.pow(x, y)
    except (OverflowError, ValueError):
        return math.nan


def _fma(a: Plain, b: Plain, c: Plain) -> Plain:
    return a * b + c


def _fmod(x: Plain, y: Plain) -> Plain:
    if not math.isfinite(x) or y == 0 or math.isnan(y):
        return math.nan
    return x if math.isinf(y) else simplest(Fraction(x) - Fraction(y) * math.trunc(Fraction(x) / Fraction(y)))


def _round(x: Plain) -> Plain:
    """The nearest integer; the one farther from zero where two are equally near."""
    size = math.floor(abs(Fraction(x)) + Fraction(1, 2))
    return size if x >= 0 else -size


_OPERATIONS: dict[str, Callable[..., Plain]] = {
    "sqrt": _sqrt,
    "rsqrt": lambda x: math.inf if x == 0 else 1 / float(_sqrt(x)),
    "exp": _exp,
    "exp2": lambda x: _pow(2, x),
    "log": _log,
    "log2": lambda x: float(_log(x)) / math.log(2),
    "sin": lambda x: 0 if x == 0 else math.sin(x),
    "cos": lambda x: 1 if x == 0 else math.cos(x),
    "tanh": lambda x: 0 if x == 0 else math.tanh(x),
    "erf": lambda x: 0 if x == 0 else math.erf(x),
    "expm1": lambda x: 0 if x == 0 else _or_infinite(math.expm1, x),
    "log1p": lambda x: 0 if x == 0 else math.log1p(x) if x > -1 else _log(x + 1),
    "log10": lambda x: _log(x) if x <= 0 else 0 if x == 1 else math.log10(x),
    "erfc": lambda x: 1 if x == 0 else math.erfc(x),
    "tan": lambda x: 0 if x == 0 else math.tan(x),
    "sinh": lambda x: 0 if x == 0 else _or_infinite(math.sinh, x),
    "cosh": lambda x: 1 if x == 0 else _or_infinite(math.cosh, x),
    "asin": lambda x: 0 if x == 0 else math.asin(x) if -1 <= x <= 1 else math.nan,
    "acos": lambda x: 0 if x == 1 else math.acos(x) if -1 <= x <= 1 else math.nan,
    "atan": lambda x: 0 if x == 0 else math.atan(x),
    "atan2": lambda y, x: 0 if y == 0 and x >= 0 else math.atan2(y, x),
    "cbrt": lambda x: 0 if x == 0 else math.cbrt(x),
    "hypot": lambda x, y: _sqrt(x * x + y * y),
    "fmod": _fmod,
    "trunc": lambda x: math.trunc(x) if math.isfinite(x) else x,
    "round": lambda x: _round(x) if math.isfinite(x) else x,
    "rint": lambda x: round(Fraction(x)) if math.isfinite(x) else x,
    "copysign": lambda x, y: abs(x) if y >= 0 else -abs(x),
    "fabs": abs,
    "floor": math.floor,
    "ceil": math.ceil,
    "pow": _pow,
    "fma": _fma,
}
REAL_OPERATIONS: dict[str, Callable[..., Number]] = {
    **{name: lifted(function) for name, function in _OPERATIONS.items()},
    "fmax": lambda *values: extreme(max, values),
    "fmin": lambda *values: extreme(min, values),
}
