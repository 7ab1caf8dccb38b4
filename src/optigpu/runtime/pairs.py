"""Facts about all pairs of values, decided in O(n log n): all values are distinct, or they are sorted.

`All(i in r, All(j in r, i < j ==> f(i) <= f(j)))` holds if adjacent values are in order, since orders are transitive; values are
distinct if adjacent ones are after sorting. NaN makes both facts false.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from optigpu.light_dataclass import dataclass
from optigpu.syntax.conditions import MIRRORED, NEGATED
from optigpu.syntax.exprs import Binary, Expr, Range, RangeBinder, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.operators import REAL_SPELLINGS
from optigpu.syntax.substitution import substitute


@dataclass(frozen=True, slots=True)
class Order:
    """A fact about the values of an expression over an index: `!=` if all are distinct, else the relation of adjacent values."""

    index: str
    values: Expr
    relation: str

    def holds(self, computed: Any, count: int) -> bool:
        values = np.broadcast_to(np.asarray(computed), (count,))
        if self.relation == "!=":
            values = np.sort(values)
        a, b = values[:-1], values[1:]
        match self.relation:
            case "!=" | "<":
                return bool(np.all(a < b))
            case "<=":
                return bool(np.all(a <= b))
            case ">":
                return bool(np.all(a > b))
            case _:
                return bool(np.all(a >= b))


def order_of_pairs(binders: tuple[RangeBinder, ...], body: Expr) -> Order | None:
    """The fact as an `Order`; None if it has another form."""
    if len(binders) != 2 or binders[0].range != binders[1].range or not isinstance(binders[0].range, Range):
        return None
    i, j = (b.name for b in binders)
    if i == j or {i, j} & (free_vars(binders[0].range.low) | free_vars(binders[0].range.high)):
        return None
    match body:
        case Binary("==>", Binary() as premise, Binary() as conclusion):
            premise_op = _relation(premise)
        case Binary("||", Binary() as premise, Binary() as conclusion):
            premise_op = NEGATED.get(_relation(premise), "")
        case _:
            return None
    conclusion_op = _relation(conclusion)
    if (premise.left, premise.right) == (Var(j), Var(i)):
        premise_op = MIRRORED.get(premise_op, "")
    elif (premise.left, premise.right) != (Var(i), Var(j)):
        return None
    left, right = conclusion.left, conclusion.right
    if i not in free_vars(left):
        left, right, conclusion_op = right, left, MIRRORED.get(conclusion_op, "")
    if j in free_vars(left) or i in free_vars(right) or substitute(left, {i: Var(j)}) != right:
        return None
    if premise_op == ">":
        premise_op, conclusion_op = "<", MIRRORED.get(conclusion_op, "")
    if conclusion_op == "!=" and premise_op in ("!=", "<"):
        return Order(i, left, conclusion_op)
    if premise_op == "<" and conclusion_op in ("<", "<=", ">", ">="):
        return Order(i, left, conclusion_op)
    return None


def _relation(e: Binary) -> str:
    return REAL_SPELLINGS.get(e.op, e.op)
