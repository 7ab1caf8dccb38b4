"""A model: the integers of a sample, with arbitrary values for reals and for functions of which nothing is known but their name.

The values are the same in every run. Nothing rests on a model: a proof that is not looked for is not found.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import TypeAlias
from zlib import crc32

from optigpu.logic import terms as k
from optigpu.logic.judge import AT_MOST_ONE
from optigpu.logic.names import Origin
from optigpu.logic.terms import INT, REAL, Term
from optigpu.search.evaluation import Sample, Undefined, evaluate, power_of_two

Number: TypeAlias = int | Fraction  # truth values are 0 and 1

QUICK_EVALUATION = 6000  # subterms evaluated for one question, at most half of what is left in one model
THOROUGH_EVALUATION = 60_000  # and for one that much depends on
SMALL_EVALUATION = 250_000  # and for that one in models with small sizes
MAX_REMEMBERED = 2000  # values of a model
WITH_LAWS = ("log", "log2", "sqrt")  # functions of which the facts may decide more than that they are positive
LARGE = 10**9  # beyond the values of functions
FUNCTION_VALUES = 2003  # how many values functions have


class Model:
    """`uninterpreted`: big operators and mathematical functions are arbitrary too, as a solver sees them.

    They are positive then, as any of them may be known to be, and at most 1 where that is known.
    """

    def __init__(self, env: Sample, uninterpreted: bool) -> None:
        self.env, self.uninterpreted = env, uninterpreted
        self._steps_left = self.steps_taken = 0
        self._closed: dict[Term, Number] = {}  # values of terms that do not depend on an index around them

    def tells_apart(self, a: Term, b: Term, steps: int) -> bool:
        self._start(steps)
        try:
            return self._value(a) != self._value(b)
        except Undefined:
            return False
        finally:
            self.steps_taken = steps - self._steps_left

    def truth(self, prop: Term) -> bool | None:
        """Does the condition hold? None if it has no value."""
        if all(x.sort is INT for x in prop.free):
            try:
                return bool(evaluate(prop, self.env))  # quicker, where it is enough
            except Undefined:
                pass
        self._start(QUICK_EVALUATION // 2)
        try:
            return bool(self._value(prop))
        except Undefined:
            return None

    def _start(self, steps: int) -> None:
        self._steps_left = steps
        if len(self._closed) > MAX_REMEMBERED:
            self._closed.clear()

    def _value(self, t: Term, bound: tuple[int, ...] = ()) -> Number:
        value = self._closed.get(t)
        if value is None:
            self._steps_left -= 1
            if self._steps_left < 0:
                raise Undefined
            value = self._computed(t, bound)
            if not t.level:
                self._closed[t] = value
        return value

    def _computed(self, t: Term, bound: tuple[int, ...]) -> Number:
        match t.op:
            case "num":
                number: Number = t.data
                return number
            case "true" | "false":
                return t.op == "true"
            case "bound" if t.data < len(bound):
                index: int = t.data
                return bound[-1 - index]
            case "var":
                if t.data.origin is Origin.FUNCTION:  # INFINITY
                    return LARGE
                return self.env[t] if t in self.env else _arbitrary(t, ())
            case "app" if k.is_function(t, WITH_LAWS):
                raise Undefined
            case "app" if t.args[0].op == "var" and (self.uninterpreted or not _is_mathematical(t.args[0])):
                arguments = tuple(self._value(x, bound) for x in t.args[1:])
                value = _arbitrary(t.args[0], arguments)
                if k.is_function(t, k.EXPONENTIALS):  # on the side of 1 on which the exponent is of 0
                    side = abs(value) + 1 if arguments[0] else 1
                    return side if arguments[0] >= 0 else Fraction(1, side)
                if k.is_function(t, AT_MOST_ONE):
                    return Fraction(1, abs(value) + 1)
                return abs(value) + 1 if _is_mathematical(t.args[0]) else value
            case "sum" | "prod" | "fold_max" if self.uninterpreted:
                return t.key % FUNCTION_VALUES + 1
            case "poly":
                return sum(self._monomial(m, c, bound) for m, c in t.data)
            case "ite":
                return self._value(t.args[1 if self._value(t.args[0], bound) else 2], bound)
            case "and":
                return all(self._value(x, bound) for x in t.args)
            case "or":
                return any(self._value(x, bound) for x in t.args)
            case "sum" | "prod" | "all" | "fold_max" | "argmax":
                return self._big_operator(t, bound)
            case _:
                return _operation(t.op, [self._value(x, bound) for x in t.args])

    def _monomial(self, m: tuple[Term, ...], c: Number, bound: tuple[int, ...]) -> Number:
        for a in m:
            c *= self._value(a, bound)
        return c

    def _big_operator(self, t: Term, bound: tuple[int, ...]) -> Number:
        *start, low, high = (self._value(x, bound) for x in t.args[:-1])
        if t.op == "all":  # facts about unknown functions are false early, as that a matrix is triangular
            return all(self._value(t.args[-1], (*bound, i)) for i in range(int(low), int(high)))
        if high - low > self._steps_left:
            raise Undefined
        values = [self._value(t.args[-1], (*bound, i)) for i in range(int(low), int(high))]
        match t.op:
            case "sum":
                return sum(values)
            case "prod":
                return prod(values)
            case "argmax":
                return low + (values.index(max(values)) if values else 0)
            case _:
                return max(start + values)


def _arbitrary(f: Term, args: tuple[Number, ...]) -> int:
    """Compute a value from the function's name and the arguments alone, so that it is the same in every run."""
    if (f.sort.result or f.sort) not in (INT, REAL):
        raise Undefined
    return crc32(f"{_text(f)}{args}".encode()) % FUNCTION_VALUES - FUNCTION_VALUES // 2


@lru_cache(10_000)
def _text(f: Term) -> str:
    return str(f.data)


def _operation(op: str, args: list[Number]) -> Number:
    match op, args:
        case "fdiv", (a, b) if b != 0:
            return a // b
        case "pow2", (a,):
            return power_of_two(int(a))
        case "inv", (a,) if a != 0:
            return Fraction(1) / a
        case "real", (a,):
            return a
        case "max", _:
            return max(args)
        case "le", (a,):
            return a <= 0
        case "lt", (a,):
            return a < 0
        case "eq", (a,):
            return a == 0
        case "not", (a,):
            return not a
        case _:
            raise Undefined


def _is_mathematical(f: Term) -> bool:
    return f.data.origin is Origin.FUNCTION
