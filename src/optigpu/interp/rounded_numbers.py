"""Numbers that rounding has changed, with a bound on how much: running error analysis.

A conversion to `half`, `bf16` or `tf32` rounds; all other operations on floats are exact (`numeric_values.py`). But a contract is
about reals. A `Rounded` number is what the machine has, together with its greatest distance from the number that it would have
without rounding: a conversion adds the error that it makes, and operations carry the errors of their operands on. Two numbers agree
if they are not farther apart than their errors allow. A number that no conversion has changed has no error, and is compared as
before.

So a correct program passes, whatever the types of its intermediate results are; and a wrong factor or a missing term is seen unless
it is smaller than the errors of rounding. What these leave open is not decided: results after a comparison of the program that
rounding may have turned around (`Skipped.turned`), and numbers that have become infinite.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import total_ordering
from itertools import product
from typing import Any, TypeAlias

from optigpu.light_dataclass import dataclass
from optigpu.syntax.float_literals import is_too_large, nearest_float
from optigpu.syntax.types import Scalar

Plain: TypeAlias = int | Fraction | float
RELATIVE_SLACK = 1e-9  # for errors, which are computed in floats themselves


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Rounded:
    """The number `value`; without rounding there would be one at most `error` away. Programs compare it by its value."""

    value: Plain
    error: float

    def __add__(self, other: Any) -> Number:
        return with_error(self.value + plain(other), self.error + error_of(other))

    def __sub__(self, other: Any) -> Number:
        return with_error(self.value - plain(other), self.error + error_of(other))

    def __mul__(self, other: Any) -> Number:
        a, b, e, f = _size(self), _size(other), self.error, error_of(other)
        return with_error(self.value * plain(other), e * b + f * a + e * f)

    def __truediv__(self, other: Any) -> Number:
        return divided(self, other)

    def __radd__(self, other: Any) -> Number:
        return self.__add__(other)

    def __rsub__(self, other: Any) -> Number:
        return with_error(plain(other) - self.value, self.error + error_of(other))

    def __rmul__(self, other: Any) -> Number:
        return self.__mul__(other)

    def __rtruediv__(self, other: Any) -> Number:
        return divided(other, self)

    def __neg__(self) -> Rounded:
        return Rounded(0 - self.value, self.error)

    def __abs__(self) -> Rounded:
        return -self if self.value < 0 else self

    def __float__(self) -> float:
        return float(self.value)

    def __bool__(self) -> bool:
        return self.value != 0

    def __eq__(self, other: Any) -> bool:
        return bool(self.value == plain(other))

    def __lt__(self, other: Any) -> bool:
        return bool(self.value < plain(other))

    def __hash__(self) -> int:
        return hash(self.value)

    def __str__(self) -> str:
        return str(self.value)


Number: TypeAlias = Plain | Rounded


def plain(x: Number) -> Plain:
    """The number itself."""
    return x.value if isinstance(x, Rounded) else x


def error_of(x: object) -> float:
    return x.error if isinstance(x, Rounded) else 0.0


def with_error(value: Plain, error: float) -> Number:
    if not error:
        return value
    bounded = math.isfinite(error) and (not isinstance(value, float) or math.isfinite(value))
    return Rounded(value, error if bounded else math.inf)


def divided(a: Number, b: Number) -> Number:
    """The quotient; the divisor is not zero."""
    x, y, e, f = plain(a), plain(b), error_of(a), error_of(b)
    quotient = x / y if isinstance(x, float) or isinstance(y, float) else Fraction(x) / Fraction(y)
    least = _size(b) - f
    return with_error(quotient, (e + _size(quotient) * f) / least if least > 0 else math.inf)


def _size(x: Number) -> float:
    try:
        return abs(float(x))
    except OverflowError:
        return math.inf


def stored(x: Number, t: Scalar) -> Number:
    """A number converted to a type of numbers that are only stored: the nearest one of the type, or an infinity."""
    value = plain(x)
    if isinstance(value, float) and not math.isfinite(value):
        return x
    exact = Fraction(value)
    if is_too_large(exact, t):
        return Rounded(math.copysign(math.inf, exact), math.inf)
    nearest = nearest_float(exact, t)
    if nearest == exact:
        return x
    simple = nearest.numerator if nearest.denominator == 1 else nearest
    return with_error(simple, float(abs(nearest - exact)) + error_of(x))


def may_agree(a: Number, b: Number, tolerance: float) -> bool:
    """Whether two numbers may be equal without the rounding that they carry errors of, and within a tolerance."""
    error, x, y = error_of(a) + error_of(b), float(a), float(b)
    return math.isinf(error) or x == y or abs(x - y) <= error * (1 + RELATIVE_SLACK) + tolerance * (1 + abs(x) + abs(y))


def is_open(a: Number, b: Number) -> bool:
    """Whether rounding may have turned a comparison of two numbers around."""
    if not (isinstance(a, Rounded) or isinstance(b, Rounded)):
        return False
    error = error_of(a) + error_of(b)
    return math.isinf(error) or abs(float(a) - float(b)) <= error


def is_open_as_integer(x: object) -> bool:
    """Whether rounding may have changed what a number is as an integer."""
    if not isinstance(x, Rounded):
        return False
    if math.isinf(x.error):
        return True
    return math.trunc(x.value - Fraction(x.error)) != math.trunc(x.value + Fraction(x.error))


def extreme(choose: Callable[[Sequence[Any]], Any], values: Sequence[Number]) -> Number:
    """The greatest or the least of some numbers."""
    for x in values:
        if x.__class__ is Rounded:
            value = choose([plain(v) for v in values])
            ends = [choose([_ends(v)[which] for v in values]) for which in (0, -1)]
            return with_error(value, max(_size(end - value) for end in ends))
    result: Number = choose(values)
    return result


def lifted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of numbers, monotone in each of them near its arguments, that carries errors on."""

    def of(*args: Number) -> Number:
        for x in args:
            if x.__class__ is Rounded:
                value = function(*map(plain, args))
                corners = product(*map(_ends, args))
                return with_error(value, max(_distance(function, corner, value) for corner in corners))
        result: Number = function(*args)
        return result

    return of


def _ends(x: Number) -> Sequence[Plain]:
    return (x,) if not isinstance(x, Rounded) else (float(x) - x.error, float(x) + x.error)


def _distance(function: Callable[..., Any], args: Sequence[Plain], value: Plain) -> float:
    try:
        other = float(function(*args))
    except (ArithmeticError, ValueError):
        return math.inf
    distance = abs(other - float(value))
    return math.inf if math.isnan(distance) else distance
