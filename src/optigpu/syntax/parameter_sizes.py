"""Sizes of array parameters that C computes when a function is entered: `H + 2` in `float a[H + 2][W]`.

Their values must fit their types, as those of arguments must: an implicit precondition of the function.
"""

from __future__ import annotations

from optigpu.syntax.exprs import Array, Binary, Cast, Expr, Int, Var
from optigpu.syntax.program import Function
from optigpu.syntax.types import BOOL, Kind, Scalar


def size_preconditions(f: Function) -> list[Expr]:
    """The implicit preconditions: `H + 2 <= 2147483647`, for each computed size. Names, literals and casts fit their types."""
    out: list[Expr] = []
    for d in (d for p in f.params if isinstance(p.type, Array) for d in p.type.dims if d is not None):
        plain = d
        while isinstance(plain, Cast) and plain.implicit:
            plain = plain.arg
        t = plain.type
        if not isinstance(plain, Int | Var | Cast) and isinstance(t, Scalar) and t.kind is Kind.INT and t.bits:
            most = Int(t.high, type=t, loc=d.loc)
            out.append(Binary("<=", plain, most, type=BOOL, loc=d.loc))
    return list(dict.fromkeys(out))
