"""Values of Python expressions: the syntax that they become, their type, and bounds of integers.

Python's `//` rounds down and `%` has the sign of the divisor, where C's `/` and `%` round towards zero. They agree where the
dividend is not negative and the divisor positive. Bounds show that for sizes, indices and constants; otherwise the program gets an
expression that computes what Python does.
"""

from __future__ import annotations

from optigpu.frontend.implicit_conversions import usual_conversion
from optigpu.light_dataclass import dataclass, replace
from optigpu.syntax.builtins import MATH
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Array, Binary, Call, Cond, Expr, Int, Real, Unary, is_float, is_int
from optigpu.syntax.float_formats import is_stored_float
from optigpu.syntax.float_literals import is_out_of_range, nearest_float
from optigpu.syntax.source import Loc
from optigpu.syntax.types import FLOAT, Pointer, Scalar
from optigpu.syntax.walk import children

Bound = int | None


def computed_type(t: Scalar) -> Scalar:
    """The type in which a program computes with numbers of this type: those that are only stored are read as `og.f32`."""
    return FLOAT if is_stored_float(t) else t


@dataclass(frozen=True, slots=True)
class Value:
    """What an expression becomes. `weak`: a float without a type of its own, made of literals; it takes that of its context."""

    expr: Expr
    type: Scalar | Array | Pointer
    weak: bool = False
    low: Bound = None
    high: Bound = None

    @property
    def is_integer(self) -> bool:
        return is_int(self.type)

    @property
    def is_real(self) -> bool:
        return is_float(self.type)

    @property
    def scalar(self) -> Scalar:
        assert isinstance(self.type, Scalar)
        return self.type

    @property
    def least(self) -> Bound:
        """A number that the value is not below, if one is known."""
        return 0 if self.low is None and self.is_integer and not self.scalar.signed else self.low


def bounds(op: str, a: Value, b: Value) -> tuple[Bound, Bound]:
    """Bounds of `a op b`, of integers."""
    match op:
        case "+":
            return _sum(a.least, b.least), _sum(a.high, b.high)
        case "-":
            return _sum(a.least, _negated(b.high)), _sum(a.high, _negated(b.least))
        case "*" if a.least is not None and a.least >= 0 and b.least is not None and b.least >= 0:
            return a.least * b.least, None if a.high is None or b.high is None else a.high * b.high
        case "/" if _not_negative(a) and _not_negative(b):
            return 0, a.high
        case "%" if _not_negative(b):
            return 0, None if b.high is None else b.high - 1
        case "&" if _not_negative(a) and _not_negative(b):
            return 0, a.high
        case "|" | "^" | ">>" | "<<" if _not_negative(a) and _not_negative(b):
            return 0, None
        case _:
            return None, None


def joined_bounds(a: Value, b: Value) -> tuple[Bound, Bound]:
    """Bounds of a value that is one of these two."""
    low = None if a.least is None or b.least is None else min(a.least, b.least)
    return low, None if a.high is None or b.high is None else max(a.high, b.high)


def _sum(a: Bound, b: Bound) -> Bound:
    return None if a is None or b is None else a + b


def _negated(a: Bound) -> Bound:
    return None if a is None else -a


def _not_negative(v: Value) -> bool:
    return v.least is not None and v.least >= 0


def _positive(v: Value) -> bool:
    return v.least is not None and v.least > 0


def rounds_alike(a: Value, b: Value) -> bool:
    """Whether `a // b` and `a % b` are the same in Python and in C, whatever the operands are within their bounds."""
    return _not_negative(a) and _not_negative(b)  # a division by zero is an error in both


MOST_PARTS = 256  # of an operand that is written out several times


def has_parts(e: Expr, most: int) -> bool:
    """Whether an expression has more parts than that."""
    rest = [e]
    while rest and most >= 0:
        rest += children(rest.pop())
        most -= 1
    return bool(rest)


def floor_division(op: str, a: Value, b: Value, loc: Loc) -> Value:
    """Python's `a // b` (`op` is "/") or `a % b`, for integers."""
    low, high = bounds(op, a, b)
    t = usual_conversion(a.scalar, b.scalar)
    truncated = Binary(op, a.expr, b.expr, loc=loc)
    if rounds_alike(a, b):
        return Value(truncated, t, low=low, high=high)
    if has_parts(a.expr, MOST_PARTS) or has_parts(b.expr, MOST_PARTS):
        message = "the operands stand several times in what this becomes, and are long"
        raise input_error("OG016", message, loc, help="give each operand a name: q = …")
    zero = Int(0, loc=loc)
    rest = Binary("%", a.expr, b.expr, loc=loc)
    below: Expr = Binary("<", rest, zero, loc=loc)
    if not _not_negative(b):
        other_sign = Binary("!=", below, Binary("<", b.expr, zero, loc=loc), loc=loc)
        below = Binary("&&", Binary("!=", rest, zero, loc=loc), other_sign, loc=loc)
    moved: Expr = Binary("-", truncated, Int(1, loc=loc), loc=loc) if op == "/" else Binary("+", rest, b.expr, loc=loc)
    return Value(Cond(below, moved, truncated, loc=loc), t, low=low, high=high)


def settled(e: Expr, to: Scalar) -> Expr:
    """A weak expression with its literals as numbers of this type."""
    match e:
        case Real(value):
            if is_out_of_range(value, to):
                raise input_error("OG103", f"this number is out of the range of `{to.name}`", e.loc)
            return replace(e, value=nearest_float(value, to), literal_type=to)
        case Unary(arg=arg):
            return replace(e, arg=settled(arg, to))
        case Binary(left=left, right=right):
            return replace(e, left=settled(left, to), right=settled(right, to))
        case Cond(then=then, other=other):
            return replace(e, then=settled(then, to), other=settled(other, to))
        case Call(name, args) if name in MATH and to == FLOAT:
            return replace(e, func=name + "f", args=tuple(settled(a, to) for a in args))
        case _:
            return e
