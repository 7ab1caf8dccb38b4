"""Sizes of array parameters: `H + 2` in `float a[H + 2][W]`, which C computes when the function is entered, and `n - 1` in the
permission `a ~> Matrix1(n - 1, A)`.

Both are implicit preconditions of the function: a computed size fits its type, as an argument does; no claimed size is negative.
In contracts integers are mathematical, so a size has its mathematical value: `n * m` of unsigned numbers is not taken modulo 2^32.
"""

from __future__ import annotations

from collections.abc import Iterator

from optigpu.light_dataclass import replace
from optigpu.syntax.builtins import matrix_predicate
from optigpu.syntax.exprs import Array, Binary, Call, Cast, Expr, Int, PointsTo, Unary, Var, is_int
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import Function, logical_variables
from optigpu.syntax.types import BOOL, LOGIC_INT, Kind, Scalar
from optigpu.syntax.walk import rewrite

HELD = ("consumes", "preserves", "reads", "writes")  # clauses about what a function owns when it is entered


def size_preconditions(f: Function) -> list[Expr]:
    """The sizes that C computes fit their types: `H + 2 <= 2147483647`. Names, literals and casts do so anyway."""
    out: list[Expr] = []
    for d in (d for p in f.params if isinstance(p.type, Array) for d in p.type.dims if d is not None):
        plain = d
        while isinstance(plain, Cast) and plain.implicit:
            plain = plain.arg
        t = plain.type
        if not isinstance(plain, Int | Var | Cast) and isinstance(t, Scalar) and t.kind is Kind.INT and t.bits:
            most = Int(t.high, type=t, loc=d.loc)
            out.append(Binary("<=", mathematical_size(plain), most, type=BOOL, loc=d.loc))
    return list(dict.fromkeys(out))


def claimed_sizes(f: Function) -> list[Expr]:
    """The sizes that permissions of the precondition give to whole arrays are not negative: `n - 1 >= 0`. Sizes that are logical
    variables are left out: a caller has no values for them."""
    logical = logical_variables(f.contract).keys()
    sizes = (d for _, dims in claimed_arrays(f) for d in dims if not free_vars(d) & logical)
    return list(dict.fromkeys(_not_negative(d) for d in sizes if not isinstance(d, Int) or d.value < 0))


def _not_negative(size: Expr) -> Expr:
    return Binary(">=", size, Int(0, type=LOGIC_INT), type=BOOL, loc=size.loc)


def claimed_arrays(f: Function) -> Iterator[tuple[Expr, tuple[Expr, ...]]]:
    """Pointer and sizes of the arrays that the precondition claims as a whole, in no group and under no condition."""
    items = [i.body for c in f.contract if c.kind in HELD for i in c.items][::-1]
    while items:
        match items.pop():
            case Binary("*", left, right):
                items += [right, left]
            case PointsTo(pointer, _, Call(predicate, args)) if (m := matrix_predicate(predicate)) is not None:
                yield pointer, args[: m.rank]
            case _:
                pass


def mathematical_size(d: Expr) -> Expr:
    """A size as contracts read it."""

    def step(e: Expr) -> Expr:
        match e:
            case Binary() | Unary() if is_int(e.type):
                return replace(e, type=LOGIC_INT)
            case Cast(to, arg) if is_int(to) and is_int(arg.type):
                return arg
            case _:
                return e

    return rewrite(d, step)
