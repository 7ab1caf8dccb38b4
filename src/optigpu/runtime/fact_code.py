"""Facts and sizes over numbers as Python text, for calls that are checked by compiled code.

The text has the value that `preconditions.py` computes for Python numbers; where that has none, the text raises an error. What has
no text here is left to `preconditions.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from optigpu.runtime.preconditions import MOST_SHIFT
from optigpu.syntax.builtins import WRAPS
from optigpu.syntax.exprs import (
    Binary,
    Bool,
    Call,
    Cast,
    Cond,
    Expr,
    Int,
    Real,
    SizeOf,
    Type,
    Unary,
    Var,
    is_float,
    is_int,
)
from optigpu.syntax.operators import REAL_SPELLINGS, WRAPPING
from optigpu.syntax.types import Kind, Scalar

INTEGER, TRUTH, NUMBER = "integer", "truth value", "float"
Names = Mapping[str, tuple[str, str]]  # name -> its text, and one of the three
KINDS = {Kind.INT: INTEGER, Kind.BOOL: TRUTH, Kind.FLOAT: NUMBER}


class NoText(Exception):
    """The expression is outside of what is compiled."""


def quotient(a: int, b: int) -> int:
    """C's division, which truncates."""
    return abs(a) // abs(b) * (1 if (a >= 0) == (b >= 0) else -1)


def remainder(a: int, b: int) -> int:
    return a - b * quotient(a, b)


def shifted(a: int, by: int) -> int:
    """`a << by`, and `a >> -by`."""
    if abs(by) > MOST_SHIFT:
        raise OverflowError
    return a << by if by >= 0 else a >> -by


def left_shift(a: int, b: int) -> int:
    return shifted(a, _amount(b))


def right_shift(a: int, b: int) -> int:
    return shifted(a, -_amount(b))


def _amount(b: int) -> int:
    if b < 0:
        raise OverflowError
    return b


# What the texts use.
HELPERS: dict[str, Any] = {
    "quotient": quotient, "remainder": remainder, "left_shift": left_shift, "right_shift": right_shift, "min": min, "max": max,
    "abs": abs,
}  # fmt: skip


def fact_text(e: Expr, names: Names) -> str | None:
    """A condition on numbers; None if it has no text."""
    try:
        text, kind = _text(e, names)
    except NoText:
        return None
    return text if kind == TRUTH else None


def size_text(e: Expr, names: Names) -> str | None:
    """An integer; None if it has no text."""
    try:
        text, kind = _text(e, names)
    except NoText:
        return None
    return text if kind == INTEGER else None


def compiled_value(text: str, parameters: list[str]) -> Callable[..., Any]:
    """A function of the named parameters."""
    function: Callable[..., Any] = eval(f"lambda {', '.join(parameters)}: {text}", dict(HELPERS))
    return function


def _text(e: Expr, names: Names) -> tuple[str, str]:
    match e:
        case Bool(value):
            return str(bool(value)), TRUTH
        case Int(value):
            return f"({value})", INTEGER
        case Real(value):
            return f"({float(value)!r})", NUMBER
        case SizeOf(of):
            return str(of.size), INTEGER
        case Var(name) if name in names:
            return names[name]
        case Unary("!", arg):
            return f"(not {_truth(arg, names)})", TRUTH
        case Unary("-", arg):
            text, kind = _number(arg, names)
            return f"(-{text})", kind
        case Cast(to, arg, implicit):
            if not is_int(to):
                raise NoText
            text = _integer(arg, names)
            return text if implicit else _wrapped(text, to), INTEGER
        case Cond(test, then, other):
            (a, kind), (b, other_kind) = _text(then, names), _text(other, names)
            if kind != other_kind:
                raise NoText
            return f"({a} if {_truth(test, names)} else {b})", kind
        case Binary():
            return _binary(e, names)
        case Call(name, args):
            return _call(name, [_integer(a, names) for a in args]), INTEGER
        case _:
            raise NoText


def _truth(e: Expr, names: Names) -> str:
    text, kind = _text(e, names)
    if kind != TRUTH:
        raise NoText
    return text


def _integer(e: Expr, names: Names) -> str:
    text, kind = _text(e, names)
    if kind != INTEGER:
        raise NoText
    return text


def _number(e: Expr, names: Names) -> tuple[str, str]:
    text, kind = _text(e, names)
    if kind == TRUTH:
        raise NoText
    return text, kind


def _binary(e: Binary, names: Names) -> tuple[str, str]:
    op = REAL_SPELLINGS.get(e.op, e.op)
    match op:
        case "&&":
            return f"({_truth(e.left, names)} and {_truth(e.right, names)})", TRUTH
        case "||":
            return f"({_truth(e.left, names)} or {_truth(e.right, names)})", TRUTH
        case "==>":
            return f"(not {_truth(e.left, names)} or {_truth(e.right, names)})", TRUTH
        case "<" | "<=" | ">" | ">=" | "==":
            return f"({_number(e.left, names)[0]} {op} {_number(e.right, names)[0]})", TRUTH
        case "!=":
            (a, kind), (b, other) = _number(e.left, names), _number(e.right, names)
            with_nan = NUMBER in (kind, other)  # then no comparison holds
            return (f"({a} < {b} or {a} > {b})" if with_nan else f"({a} != {b})"), TRUTH
        case "+" | "-" | "*":
            (a, kind), (b, other) = _number(e.left, names), _number(e.right, names)
            value = f"({a} {op} {b})"
            if NUMBER in (kind, other):
                if is_int(e.type):
                    raise NoText
                return value, NUMBER
            return (_wrapped(value, e.type) if e.op in WRAPPING else value), INTEGER
        case "/" if is_float(e.type):
            return f"({_number(e.left, names)[0]} / {_number(e.right, names)[0]})", NUMBER
        case _:
            a, b = _integer(e.left, names), _integer(e.right, names)
            return _integer_operation(op, a, b, e), INTEGER


def _integer_operation(op: str, a: str, b: str, e: Binary) -> str:
    match op, e.right:
        case "%", Int(value) if value > 0 and a.isidentifier():
            return f"({a} % {value} if {a} >= 0 else -(-{a} % {value}))"
        case "/", _:
            return f"quotient({a}, {b})"
        case "%", _:
            return f"remainder({a}, {b})"
        case "&" | "|" | "^", _:
            return f"({a} {op} {b})"
        case "<<", _:
            return _wrapped(f"left_shift({a}, {b})", e.type)
        case ">>", _:
            return f"right_shift({a}, {b})"
        case _:
            raise NoText


def _wrapped(text: str, t: Type | None) -> str:
    """A number modulo 2^bits of an unsigned type; unchanged for other types."""
    if isinstance(t, Scalar) and is_int(t) and t.bits and not t.signed:
        return f"({text} % {1 << t.bits})"
    return text


def _call(name: str, args: list[str]) -> str:
    match name, args:
        case "min" | "max", [a, b]:
            return f"{name}({a}, {b})"
        case "abs", [a]:
            return f"abs({a})"
        case "exact_div", [a, b]:
            return f"quotient({a}, {b})"
        case _ if name in WRAPS and len(args) == 1:
            return f"({args[0]} % {1 << WRAPS[name]})"
        case _:
            raise NoText
