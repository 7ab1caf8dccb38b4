"""Conversions between scalar types: C's usual ones, made explicit, and errors for those that would lose a value."""

from __future__ import annotations

from fractions import Fraction

from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Array, Cast, Expr, Int, ProofType, Real, Type, is_float, is_int
from optigpu.syntax.float_formats import is_stored_float
from optigpu.syntax.float_literals import is_out_of_range
from optigpu.syntax.types import DOUBLE, FLOAT, INT, VOID, Kind, LogicType, Pointer, Scalar
from optigpu.syntax.walk import rewrite


def describe_type(t: Type | None) -> str:
    """A type in the words of an error message."""
    match t:
        case Scalar(name, kind, bits):
            return "a proposition" if kind is Kind.BOOL and bits == 0 else f"`{name}`"
        case Array(elem, dims):
            return f"a {len(dims)}-dimensional array of `{elem.name}`"
        case Pointer(elem):
            return f"a pointer to `{elem.name}`"
        case ProofType():
            return "a fact"
        case LogicType(name):
            return {"HProp": "a permission", "Range": "a range", "void": "nothing"}.get(name, f"`{name}`")
        case None:
            return "nothing"
        case _:
            return "a function"


def usual_conversion(a: Scalar, b: Scalar) -> Scalar:
    """The type in which C computes on operands of these two types (the usual arithmetic conversions)."""
    if a.kind is Kind.FLOAT or b.kind is Kind.FLOAT:
        return DOUBLE if DOUBLE in (a, b) else FLOAT
    a, b = promoted(a), promoted(b)
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return b if a.signed else a


def promoted(t: Scalar) -> Scalar:
    """C's integer promotion: a type narrower than `int` becomes `int`. Floats that are stored become `float`."""
    if is_stored_float(t):
        return FLOAT
    return INT if t.kind is Kind.BOOL or (t.kind is Kind.INT and t.bits < INT.bits) else t


def convert(e: Expr, to: Type, why: str) -> Expr:
    """Convert a value as C does implicitly. `why` starts the error message: "this argument is"."""
    have = e.type
    if have == to:
        return e
    if isinstance(have, Scalar) and isinstance(to, Scalar):
        if is_float(have) and to.kind is Kind.INT:
            raise input_error(
                "OG103", f"{why} an `{to.name}`, but the value is `{have.name}`: the fraction would be lost", e.loc,
                help=f"({to.name})(…) says that this is meant",
            )  # fmt: skip
        if isinstance(e, Int) and is_int(to) and not to.low <= e.value <= to.high:
            raise input_error("OG103", f"{e.value} does not fit `{to.name}`", e.loc)
        reject_lost(e, to)
        return cast(e, to, implicit=True)
    raise input_error("OG102", f"{why} {describe_type(to)}, but this is {describe_type(have)}", e.loc)


def cast(e: Expr, to: Scalar, *, implicit: bool) -> Expr:
    """A conversion. Only `float` is converted to and from the floats that are stored: others become `float` first."""
    stored = is_stored_float(e.type) or is_stored_float(to)
    if stored and FLOAT not in (e.type, to):
        e = Cast(FLOAT, e, True, loc=e.loc, type=FLOAT)
    return Cast(to, e, implicit, loc=e.loc, type=to)


def reject_lost(e: Expr, to: Scalar) -> None:
    """Reject a literal that the float type would round to infinity or to zero."""
    if isinstance(e, Real | Int) and is_float(to) and is_out_of_range(Fraction(e.value), to):
        raise input_error("OG103", f"this number is out of the range of `{to.name}`", e.loc)


def fitting(e: Expr, to: Scalar, why: str) -> Expr:
    """As `convert`, but without a cast of a literal that the type can hold."""
    return e if isinstance(e, Int) and to.low <= e.value <= to.high else convert(e, to, why)


def strip_implicit(e: Expr) -> Expr:
    """Remove implicit casts, so that typing a typed program again gives the same program."""
    return rewrite(e, lambda x: x.arg if isinstance(x, Cast) and x.implicit else x)


def expect_scalar(typed: Expr) -> Expr:
    if not isinstance(typed.type, Scalar):
        if typed.type == VOID:
            raise input_error("OG102", "this call returns nothing", typed.loc)
        raise input_error("OG102", f"a number is expected here, but this is {describe_type(typed.type)}", typed.loc)
    return typed


def scalar(e: Expr) -> Scalar:
    """The type of an expression that is known to be a number."""
    assert isinstance(e.type, Scalar)
    return e.type
