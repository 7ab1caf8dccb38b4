"""The meaning of operators on numbers, for programs and formulas."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from optigpu.interp.misbehaviour import CannotEvaluate, Misbehaviour
from optigpu.interp.numeric_values import (
    RuntimeValue,
    bitwise,
    real_divide,
    shift,
    truncating_divide,
    truncating_remainder,
)
from optigpu.syntax.exprs import Type, is_bool, is_float
from optigpu.syntax.operators import WRAPPING
from optigpu.syntax.source import Loc
from optigpu.syntax.types import Scalar

COMPARE: dict[str, Callable[[RuntimeValue, RuntimeValue], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def next_value(op: str, loc: Loc) -> Callable[[int, int], int]:
    """The function from an index to its next value. A step that does not move the index is an endless loop (OG216)."""

    def step(i: int, amount: int) -> int:
        match op:
            case "+":
                new, moves = i + amount, amount > 0
            case "-":
                new, moves = i - amount, amount > 0
            case "*":
                new, moves = i * amount, i > 0 and amount > 1
            case "/":
                new, moves = truncating_divide(i, amount, loc), i > 0 and amount > 1
            case "<<":
                new, moves = shift("<<", i, amount, 0, loc), i > 0 and amount > 0
            case _:
                new, moves = shift(">>", i, amount, 0, loc), i > 0 and amount > 0
        if not moves:
            raise Misbehaviour("OG216", f"this loop does not end: from {i} it steps to {new}", loc)
        return new

    return step


def binary_operation(
    op: str, operands: Type | None, result: Type | None, loc: Loc
) -> Callable[[RuntimeValue, RuntimeValue], RuntimeValue]:
    """The function of a binary operator other than `&&` and `||`, for operands of one type. On unsigned types, `+`, `-`, `*` and
    `<<` are taken modulo 2^bits."""
    match op:
        case "<" | "<=" | ">" | ">=":
            return COMPARE[op]
        case "==":
            return lambda a, b: a == b
        case "!=":
            return lambda a, b: a != b
        case _:
            pass
    if is_float(operands) or is_float(result):
        match op:
            case "+":
                return lambda a, b: a + b
            case "-":
                return lambda a, b: a - b
            case "*":
                return lambda a, b: a * b
            case "/":
                return lambda a, b: real_divide(a, b, loc)
            case _:
                raise CannotEvaluate(f"`{op}` on floats", loc)
    t = result if isinstance(result, Scalar) and not is_bool(result) else None
    assert t is not None
    operation = integer_operation(op, t.bits, loc)
    if t.signed or op not in WRAPPING:
        return operation  # an intermediate signed value may be any integer; it is checked where it is stored
    mask = (1 << t.bits) - 1
    return lambda a, b: operation(a, b) & mask


def integer_operation(op: str, bits: int, loc: Loc) -> Callable[[int, int], int]:
    match op:
        case "+":
            return lambda a, b: a + b
        case "-":
            return lambda a, b: a - b
        case "*":
            return lambda a, b: a * b
        case "/":
            return lambda a, b: truncating_divide(a, b, loc)
        case "%":
            return lambda a, b: truncating_remainder(a, b, loc)
        case "<<" | ">>":
            return lambda a, b: shift(op, a, b, bits, loc)
        case "&" | "|" | "^":
            return lambda a, b: bitwise(op, a, b, loc)
        case _:
            raise CannotEvaluate(f"the operator `{op}`", loc)


def linear_index(helper: tuple[str, int]) -> Callable[[Sequence[int]], int]:
    """The functions MSIZEn (the product of n sizes), MINDEXn and DMINDEXn (the row-major offset of n indices)."""
    stem, rank = helper

    def size(args: Sequence[int]) -> int:
        out = 1
        for n in args:
            out *= n
        return out

    def index(args: Sequence[int]) -> int:
        out = 0
        for n, i in zip(args[:rank], args[rank:]):
            out = out * n + i
        return out

    return size if stem == "MSIZE" else index
