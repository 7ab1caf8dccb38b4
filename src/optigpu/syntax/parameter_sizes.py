"""Sizes of array parameters that C computes when a function is entered: `float a[H + 2][W]`.

They are numbers of their types, as arguments are: part of what a function asks of its callers, though no clause says it.
"""

from __future__ import annotations

from optigpu.syntax.exprs import Array, Binary, Cast, Expr, Int, Var
from optigpu.syntax.program import Function
from optigpu.syntax.types import BOOL, Kind, Scalar


def fitting_sizes(f: Function) -> list[Expr]:
    """`H + 2 <= 2147483647`, for each size that is more than a name or a number, or a cast, which has a number of its type."""
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
