"""Candidate numbers for tests: small ones, and those around the constants of a program."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from fractions import Fraction

from optigpu.interp.machine import Machine
from optigpu.interp.misbehaviour import CannotEvaluate, Misbehaviour
from optigpu.interp.numeric_values import rounded, simplest
from optigpu.interp.rounded_numbers import Plain
from optigpu.syntax.builtins import MATH
from optigpu.syntax.exprs import Binary, Call, Expr, Int, Real, Var
from optigpu.syntax.float_literals import is_out_of_range
from optigpu.syntax.program import Define, For, Function, Program
from optigpu.syntax.types import Kind, Scalar
from optigpu.syntax.walk import body_exprs, contract_exprs, statements, subexpressions

SMALL_INTEGERS = (0, 1, 2, 3, 4, -1, 5, 7, 8, -2, -3)
MAX_CONSTANT = 1100  # of the program, around which integers are tried
MAGNITUDES = (1000, 2**20, 2**30, Fraction(1, 1024), Fraction(1, 2**20))  # of floats, also of those converted to `int`
UNROUNDED_FUNCTIONS = frozenset({"fabs", "floor", "ceil", "fmax", "fmin", "fma"})  # computed exactly by the interpreter
MAX_ROUNDED_FLOAT = (
    16  # in programs that call other functions: the error of larger floats could look like a wrong result
)


def parts_of(program: Program, f: Function) -> Iterator[Expr]:
    """All sub-expressions of a function, of its contract, and of the values of macros."""
    exprs = contract_exprs(f.contract) + list(body_exprs(f.body))
    exprs += [d.value for d in program.flat_items() if isinstance(d, Define)]
    return (x for e in exprs for x in subexpressions(e))


def candidate_floats(program: Program, f: Function) -> list[Plain]:
    """Floats of several magnitudes, and those around the constants of the program: whole numbers first, smallest first."""
    constants = {Fraction(x.value) for x in parts_of(program, f) if isinstance(x, Int | Real)}
    around = {n for c in constants for n in (c - 1, c, c + 1, -c)}
    candidates = around | {Fraction(sign * m) for m in MAGNITUDES for sign in (1, -1)} | {Fraction(0), Fraction(1)}
    functions = (g for g in program.flat_items() if isinstance(g, Function))
    called = {x.func for g in functions for x in parts_of(program, g) if isinstance(x, Call)}
    if any(n in MATH and MATH[n].real_name not in UNROUNDED_FUNCTIONS for n in called):
        candidates = {x for x in candidates if abs(x) <= MAX_ROUNDED_FLOAT}
    return [simplest(x) for x in sorted(candidates, key=lambda x: (x.denominator, abs(x), x < 0))]


def values_of(t: Scalar, integers: list[int], floats: list[Plain]) -> list[Plain]:
    """The candidates that are values of the type."""
    match t.kind:
        case Kind.BOOL:
            return [False, True]
        case Kind.INT:
            return [v for v in integers if t.low <= v <= t.high]
        case Kind.FLOAT:
            return [v for v in floats if not is_out_of_range(Fraction(v), t) and rounded(v, t) == v]


def candidate_sizes(program: Program, f: Function) -> list[int]:
    """Small integers, and those around the constants of the program, such as block sizes, strides and thresholds."""
    constants = {x.value for x in parts_of(program, f) if isinstance(x, Int) and 1 < x.value <= MAX_CONSTANT}
    around = {n for c in constants for n in (c - 1, c, c + 1, 2 * c, 2 * c + 1, -c) if abs(n) <= MAX_CONSTANT}
    return [*SMALL_INTEGERS, *sorted(around - set(SMALL_INTEGERS), key=abs)]


def divisors(machine: Machine, f: Function, name: str) -> set[int]:
    """The constants by which the program divides a parameter: in quotients, remainders, and as steps of loops up to it."""
    exprs = contract_exprs(f.contract) + list(body_exprs(f.body))
    parts: list[tuple[Expr, Expr]] = [
        (s.range.bound, s.range.amount) for s in statements(f.body) if isinstance(s, For) and s.range.op == "+"
    ]
    for x in (x for e in exprs for x in subexpressions(e)):
        match x:
            case Binary("/" | "%", number, divisor) | Call("exact_div", (number, divisor)):
                parts.append((number, divisor))
            case _:
                pass
    constants = set[int]()
    for number, divisor in parts:
        if mentions(number, name):
            with contextlib.suppress(CannotEvaluate, Misbehaviour, KeyError):
                constants.add(machine.evaluator.value(divisor, {}))
    return {c for c in constants if 2 <= c <= MAX_CONSTANT}


def by_cost(pools: list[list[int]]) -> Iterator[tuple[int, ...]]:
    """All tuples of one number from each pool, ordered by the sum of their positions in the pools."""

    def of_cost(cost: int, at: int) -> Iterator[tuple[int, ...]]:
        if at == len(pools):
            if cost == 0:
                yield ()
            return
        for position in range(min(cost, len(pools[at]) - 1) + 1):
            for rest in of_cost(cost - position, at + 1):
                yield (pools[at][position], *rest)

    for cost in range(sum(len(pool) - 1 for pool in pools) + 1):
        yield from of_cost(cost, 0)


def mentions(e: Expr, name: str) -> bool:
    return any(isinstance(x, Var) and x.name == name for x in subexpressions(e))
