"""Constant folding of integer expressions and conditions in emitted code."""

from __future__ import annotations

from optigpu.codegen.integer_polynomials import binary, expression, keeps_value, number, opaque, poly
from optigpu.codegen.value_ranges import Ranges
from optigpu.light_dataclass import replace
from optigpu.syntax.exprs import Binary, Bool, Call, Cast, Cond, Expr, Int, Unary, is_int
from optigpu.syntax.operators import COMPARISONS
from optigpu.syntax.polynomials import Polynomial
from optigpu.syntax.types import BOOL
from optigpu.syntax.walk import map_children


def simplify(e: Expr, ranges: Ranges) -> Expr:
    """An equal expression: constants folded, `+ 0` and `* 1` removed, and `(32 * q + r) / 32` reduced to `q` where 0 <= r < 32."""
    e = map_children(e, lambda x: simplify(x, ranges))
    if isinstance(e, Cast) and is_int(e.to) and is_int(e.arg.type) and not keeps_value(e):
        return _simplify_wrap(e, ranges)
    if is_int(e.type):
        p = poly(e)
        if p.constant is not None:
            return number(p.constant) if not isinstance(e, Int) else e
        return _simplify_integer(e, p, ranges)
    match e:
        case Binary(op, a, b) if op in COMPARISONS and is_int(a.type) and is_int(b.type):
            known = decided_comparison(op, a, b, ranges)
            return e if known is None else Bool(known, type=BOOL)
        case Binary("&&", Bool(value), other) | Binary("&&", other, Bool(value)):
            return other if value else Bool(False, type=BOOL)
        case Binary("||", Bool(value), other) | Binary("||", other, Bool(value)):
            return Bool(True, type=BOOL) if value else other
        case Cond(Bool(value), a, b):
            return a if value else b
        case _:
            return e


def _simplify_wrap(e: Cast, ranges: Ranges) -> Expr:
    """Drop a wrapping cast whose argument is known to fit. Uses no assumption about parameters: arguments that wrap are valid."""
    value = poly(e.arg).constant
    if value is not None:
        return replace(number(value % (1 << e.to.bits)), type=e.type)
    if replace(ranges, assumed=None).fits(e.arg, e.to):
        return replace(e, arg=Cast(e.to, e.arg, True, type=e.to, loc=e.loc)) if not is_wrap(e) else e.arg
    return e


def is_wrap(e: Cast) -> bool:
    """Whether the cast was inserted around an operation that may wrap around (`wrapping.py`)."""
    return isinstance(e.arg, Binary | Unary) and e.arg.type == e.to


def _simplify_integer(e: Expr, p: Polynomial, ranges: Ranges) -> Expr:
    match e:
        case Binary("+", a, Int(0)) | Binary("-", a, Int(0)) | Binary("+", Int(0), a):
            return a
        case Binary("*", a, Int(1)) | Binary("*", Int(1), a) | Binary("/", a, Int(1)) | Call("exact_div", (a, Int(1))):
            return a
        case Binary("+" | "-", Binary("+" | "-", a, Int(_)) as left, Int(_)):
            return _add_constant(a, (poly(left) - poly(a) + poly(e) - poly(left)).constant or 0)
        case Binary("*", Binary("*", a, Int(j)), Int(k)):
            return replace(e, left=a, right=number(j * k))
        case Cond(Bool(value), a, b):
            return a if value else b
        case Binary("/", a, Int(c)) | Call("exact_div", (a, Int(c))) if c > 0:
            q, r = poly(a).split_multiples(c)
            if ranges.least(r) >= 0 and ranges.greatest(r) < c and ranges.least(q) >= 0:
                return expression(q)
            return Binary("/", a, number(c), type=e.type, loc=e.loc)
        case Call("exact_div", (a, b)):
            divided = Binary("/", a, b, type=e.type, loc=e.loc)
            return expression(p) if p != opaque(divided) else divided
        case Binary("%", a, Int(c)) if c > 0:
            q, r = poly(a).split_multiples(c)
            if ranges.least(r) >= 0 and ranges.greatest(r) < c and ranges.least(q) >= 0:
                return expression(r)
            return e
        case Call("min" | "max", (a, b)):
            first = decided_comparison("<=" if e.func == "min" else ">=", a, b, ranges)
            return e if first is None else (a if first else b)
        case _:
            return e


def _add_constant(a: Expr, c: int) -> Expr:
    return a if c == 0 else binary("+" if c > 0 else "-", a, number(abs(c)))


def decided_comparison(op: str, a: Expr, b: Expr, ranges: Ranges) -> bool | None:
    """Whether `a op b` holds for all values of the variables; None if the ranges do not decide it."""
    difference = poly(a) - poly(b)
    low, high = ranges.least(difference), ranges.greatest(difference)
    match op:
        case "<":
            return True if high < 0 else False if low >= 0 else None
        case "<=":
            return True if high <= 0 else False if low > 0 else None
        case ">":
            return True if low > 0 else False if high <= 0 else None
        case ">=":
            return True if low >= 0 else False if high < 0 else None
        case "==":
            return True if low == high == 0 else False if low > 0 or high < 0 else None
        case _:
            return False if low == high == 0 else True if low > 0 or high < 0 else None
