"""The mathematical functions of C as terms, and where they have a real value.

What can be said by exponentials, logarithms, roots and truncation is said by them, so that their laws apply; the others are
functions of which the judge knows a few facts.
"""

from __future__ import annotations

from fractions import Fraction

from optigpu.logic import terms as k
from optigpu.logic.terms import REAL, Term

ONE = k.num(1, REAL)
HALF = k.num(Fraction(1, 2), REAL)
MOST_FACTORS, MOST_SUMMANDS = 8, 500  # of a power that is written as a product


def math_term(function: str, args: list[Term]) -> Term:
    """The value of a mathematical function, by its name on reals."""
    x, y = args[0], args[-1]
    match function:
        case "fmax":
            return k.max_(x, y)
        case "fmin":
            return k.min_(x, y)
        case "fabs":
            return k.max_(x, k.neg(x))
        case "fma":
            return k.add(k.mul(args[0], args[1]), args[2])
        case "expm1":
            return k.sub(unary("exp", x), ONE)
        case "log1p":
            return unary("log", k.add(ONE, x))
        case "erfc":
            return k.sub(ONE, unary("erf", x))
        case "sinh":
            return k.mul(HALF, k.sub(unary("exp", x), unary("exp", k.neg(x))))
        case "cosh":
            return k.mul(HALF, k.add(unary("exp", x), unary("exp", k.neg(x))))
        case "rsqrt":
            return k.inv(unary("sqrt", x))
        case "hypot":
            return unary("sqrt", k.add(k.mul(x, x), k.mul(y, y)))
        case "trunc":
            return k.to_real(k.trunc(x))
        case "round":
            return k.to_real(k.trunc(k.ite(k.le(k.num(0, REAL), x), k.add(x, HALF), k.sub(x, HALF))))
        case "fmod":
            return k.sub(x, k.mul(y, k.to_real(k.trunc(k.mul(x, k.inv(y))))))
        case "pow" if _is_short_power(x, y):
            halves = int(2 * abs(y.data))
            power = k.mul(ONE, *[x] * (halves // 2), *[unary("sqrt", x)] * (halves % 2))
            return power if y.data >= 0 else k.inv(power)
        case "copysign":  # a zero of floats has a sign, which a proof does not know
            size, zero, unknown = k.max_(x, k.neg(x)), k.num(0, REAL), _unknown(function, args)
            return k.ite(k.lt(zero, y), size, k.ite(k.lt(y, zero), k.neg(size), unknown))
        case _:
            return _unknown(function, args)


def _unknown(function: str, args: list[Term]) -> Term:
    return k.app(k.function_var(function, k.fun_sort((REAL,) * len(args), REAL)), *args)


def _is_short_power(x: Term, y: Term) -> bool:
    """Is a power a product of reasonable length, of x and of its root? Its exponent is a number or half of one then."""
    if not k.is_num(y) or (2 * y.data).denominator != 1:
        return False
    exponent: Fraction = abs(y.data)
    return exponent <= MOST_FACTORS and len(k.coefficients(x)) ** int(exponent) <= MOST_SUMMANDS


def unary(function: str, x: Term) -> Term:
    return k.app(k.function_var(function, k.fun_sort((REAL,), REAL)), x)


def defined(function: str, args: list[Term]) -> Term:
    """Where a mathematical function of C has a real value: elsewhere C computes an infinity or a NaN."""
    zero, x = k.num(0, REAL), args[0]
    match function:
        case "sqrt":
            return k.le(zero, x)
        case "rsqrt" | "log" | "log2" | "log10":
            return k.lt(zero, x)
        case "log1p":
            return k.lt(k.neg(ONE), x)
        case "asin" | "acos":
            return k.and_(k.le(k.neg(ONE), x), k.le(x, ONE))
        case "fmod":
            return k.not_(k.eq(args[1], zero))
        case "pow" if k.is_num(y := args[1]) and y.data.denominator == 1:
            return k.TRUE if y.data >= 0 else k.not_(k.eq(x, zero))
        case "pow":
            return k.or_(k.lt(zero, x), k.and_(k.eq(x, zero), k.le(zero, args[1])))
        case _:
            return k.TRUE
