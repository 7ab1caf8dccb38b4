"""What the machine types of C mean for numbers in proofs: ranges, wrap-around, rounding of constants."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeGuard

from optigpu.elaborate.name_scope import unsupported
from optigpu.kernel import instructions as kc
from optigpu.logic import terms as k
from optigpu.logic.terms import BOOL, REAL, Term
from optigpu.syntax.exprs import Type
from optigpu.syntax.float_formats import is_stored_float
from optigpu.syntax.float_literals import is_out_of_range, nearest_float
from optigpu.syntax.source import Loc
from optigpu.syntax.types import Kind, Scalar


def limits_of(t: Type | None) -> kc.Limits:
    """The least and the greatest number of an integer type; None for every other type."""
    return (t.low, t.high) if isinstance(t, Scalar) and t.kind is Kind.INT and t.bits else None


def is_unsigned(t: Type | None) -> TypeGuard[Scalar]:
    return isinstance(t, Scalar) and t.kind is Kind.INT and not t.signed


def rounded(x: Term, to: Scalar, loc: Loc) -> Term:
    """A constant converted to `float` or `double`: the compiler takes the nearest number of that type. Other terms stay as they
    are, and so do constants of types that are only stored: formulas have no literals of those."""
    if not k.is_num(x):
        return x
    if is_out_of_range(Fraction(x.data), to):
        raise unsupported(f"this number is out of the range of `{to.name}`", loc)
    if is_stored_float(to):
        return x
    return k.num(nearest_float(x.data, to), REAL)


def as_integer(x: Term) -> Term:
    """C's integer for a truth value: 1 or 0. Integers stay as they are."""
    return k.ite(x, k.ONE, k.ZERO) if x.sort is BOOL else x
