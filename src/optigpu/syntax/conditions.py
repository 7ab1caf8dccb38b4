"""Boolean expressions: negated and mirrored comparisons, conjuncts."""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.syntax.exprs import Binary, Bool, Expr, Unary, is_int

NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}  # `a < b` is `b > a`


def negate(e: Expr) -> Expr:
    """`!e`. A comparison becomes the opposite one only where its operands are integers: for NaN, `!(x < y)` is not `x >= y`."""
    match e:
        case Bool(value):
            return replace(e, value=not value)
        case Unary("!", arg):
            return arg
        case Binary(op, left, right) if op in NEGATED and is_int(left.type):
            return Binary(NEGATED[op], left, right, loc=e.loc, type=e.type)
        case _:
            return Unary("!", e, loc=e.loc, type=e.type)


def conjuncts(test: Expr) -> list[Expr]:
    """The operands of nested `&&`, from left to right."""
    match test:
        case Binary("&&", left, right):
            return conjuncts(left) + conjuncts(right)
        case _:
            return [test]
