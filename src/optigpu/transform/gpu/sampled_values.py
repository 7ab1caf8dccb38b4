"""Integer expressions evaluated on sampled values: exact for what a block's loops count, sampled for names from outside.

Used to guess where barriers are needed. Nothing rests on it: the checker decides.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from zlib import crc32

from optigpu.syntax.exprs import Binary, Bool, Call, Cast, Cond, Expr, Int, SizeOf, Unary, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import For
from optigpu.syntax.types import Kind

WORD = 64  # bits
SMALLEST_SAMPLE, SAMPLES = 5000, 50000  # large against the extents of thread loops, so that rows do not overlap


class Environment(dict[str, int]):
    """Values of names; a name from outside the block gets a number that depends on its spelling alone."""

    def __missing__(self, name: str) -> int:
        value = self[name] = SMALLEST_SAMPLE + crc32(name.encode()) % SAMPLES
        return value


Value = Callable[[Environment], int]


class SampledScope:
    """Which names have exact values, and which have values that are not known here: they come from memory.

    All other names come from outside and are sampled.
    """

    def __init__(self, exact: frozenset[str] = frozenset(), unknown: frozenset[str] = frozenset()) -> None:
        self.exact = exact
        self.unknown = unknown

    def is_exact(self, *es: Expr) -> bool:
        """Do these expressions have the same values whatever the samples are?"""
        return all(free_vars(e) <= self.exact and compiled(e, self) is not None for e in es)

    def declare(self, name: str, value: Expr | None) -> SampledScope:
        """The scope after the declaration of a constant with a value."""
        if value is None or compiled(value, self) is None:
            return SampledScope(self.exact - {name}, self.unknown | {name})
        exact = self.exact | {name} if self.is_exact(value) else self.exact - {name}
        return SampledScope(exact, self.unknown - {name})


def compiled(e: Expr, scope: SampledScope) -> Value | None:
    """A function that evaluates an expression of integers; None if it depends on memory. It raises ArithmeticError where C leaves
    the value undefined."""
    match e:
        case Int(value) | Bool(value):
            return lambda _: int(value)
        case SizeOf(of):
            return lambda _: of.size
        case Var(name):
            return None if name in scope.unknown else lambda env: env[name]
        case Cast(to, arg) if to.kind is not Kind.FLOAT:
            return compiled(arg, scope)
        case Unary(op, arg) if op in UNARY:
            return _applied(UNARY[op], compiled(arg, scope))
        case Binary(op, left, right) if op in BINARY:
            return _applied(BINARY[op], compiled(left, scope), compiled(right, scope))
        case Cond(test, then, other):
            return _chosen(compiled(test, scope), compiled(then, scope), compiled(other, scope))
        case Call("min" | "max" as name, (left, right)):
            return _applied(min if name == "min" else max, compiled(left, scope), compiled(right, scope))
        case _:
            return None


def _applied(f: Callable[..., int], *args: Value | None) -> Value | None:
    known = [a for a in args if a is not None]
    if len(known) < len(args):
        return None
    if len(known) == 1:
        (only,) = known
        return lambda env: f(only(env))
    left, right = known
    return lambda env: f(left(env), right(env))


def _chosen(test: Value | None, then: Value | None, other: Value | None) -> Value | None:
    if test is None or then is None or other is None:
        return None
    return lambda env: then(env) if test(env) else other(env)


def _quotient(a: int, b: int) -> int:
    """Division of C, towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _shift(amount: int) -> int:
    if not 0 <= amount < WORD:
        raise ArithmeticError("a shift that C does not define")
    return amount


UNARY: dict[str, Callable[[int], int]] = {"-": operator.neg, "~": operator.invert, "!": lambda a: int(not a)}
RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
BINARY: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _quotient,
    "%": lambda a, b: a - b * _quotient(a, b),
    "<<": lambda a, b: a << _shift(b),
    ">>": lambda a, b: a >> _shift(b),
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "&&": lambda a, b: int(bool(a and b)),
    "||": lambda a, b: int(bool(a or b)),
    "==": operator.eq,
    "!=": operator.ne,
    **RELATIONS,
}


def iterations(
    loop: For, scope: SampledScope, exact_limit: int, sampled_limit: int
) -> Callable[[Environment], list[int]] | None:
    """A function that gives the first values of a loop's index: up to a limit, which depends on whether the range is exact."""
    r = loop.range
    start, bound, amount = compiled(r.start, scope), compiled(r.bound, scope), compiled(r.amount, scope)
    if start is None or bound is None or amount is None:
        return None
    limit = exact_limit if scope.is_exact(r.start, r.bound, r.amount) else sampled_limit
    inside, advance = RELATIONS[r.relation], BINARY[r.op]

    def values(env: Environment) -> list[int]:
        out: list[int] = []
        i, last, step = start(env), bound(env), amount(env)
        while inside(i, last) and len(out) < limit:
            out.append(i)
            i = advance(i, step)
        return out

    return values
