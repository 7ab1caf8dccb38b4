"""Atomic operations in the place of updates: `reduce.atomic`. Then the iterations around can be threads."""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.builtins import ATOMICS
from optigpu.syntax.exprs import Binary, Call, Expr, Index, Unary, is_float
from optigpu.syntax.float_formats import is_stored_float
from optigpu.syntax.program import Stmt, Store
from optigpu.transform.tools.refusal import refuse

OPERATORS = {operator: name for name, operator in ATOMICS.items()}  # "+" -> "atomicAdd"
FORM = "a[i] += x; or a[i] = max(a[i], x);"


@transformation
def atomic(session: Session, target: TargetLike) -> None:
    """Make updates of array elements atomic, so that iterations that change the same element can be threads.

    Before:
        for (int i = 0; i < n; i++) {
          b[0] += a[i];
        }
    Step: s.reduce.atomic(Write("b"))
    After:
        for (int i = 0; i < n; i++) {
          atomicAdd(&b[0], a[i]);
        }

    Needs: `a[e] += x`, `-=`, `&=`, `|=`, `^=`, `a[e] = min(a[e], x)` or `max`, on numbers of 32 or 64 bits (floats: sums).
    Fails: on other statements, and on variables, which are no elements of an array.
    """
    for path in session.find_those(target, "write"):
        session.put(path, _atomic(session.at(path)))


def _atomic(s: Stmt) -> Store:
    if not isinstance(s, Store):
        raise refuse("this is not an update", s, FORM)
    if not isinstance(s.target, Index):
        raise refuse("an atomic operation changes an element of an array, and this is a variable", s, "float sum[1];")
    found = _update(s)
    if found is None or found[0] not in OPERATORS:
        raise refuse("this is not an update by an operator that can be atomic", s, FORM)
    operator, value = found
    if is_stored_float(s.target.type):
        raise refuse("numbers of 16 bits and `tf32` have no atomic operations", s, "sum up in an array of floats")
    if is_float(s.target.type) and operator != "+":
        raise refuse("the only atomic operation on floats is the sum", s, FORM)
    return replace(s, op=OPERATORS[operator], value=value)


def _update(s: Store) -> tuple[str, Expr] | None:
    """The operator of an update, and what it combines the element with."""
    match s:
        case Store(_, value, "-"):
            return "+", Unary("-", value)
        case Store(_, value, str() as op):
            return op, value
        case Store(old, Binary(op, first, value), None) if first == old:
            return op, value
        case Store(old, Call(name, (first, value)), None) if first == old:
            return name, value
        case _:
            return None
