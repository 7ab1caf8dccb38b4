"""The accesses of an array in a statement."""

from __future__ import annotations

from optigpu.syntax.exprs import Index, Var
from optigpu.syntax.program import Stmt, Store
from optigpu.syntax.walk import code_exprs, statements, subexpressions


def accesses_of(s: Stmt, array: str) -> list[Index]:
    """All accesses of elements of an array, reads and writes, in a statement and inside it."""
    return [
        x
        for y in statements((s,))
        for e in code_exprs(y)
        for x in subexpressions(e)
        if isinstance(x, Index) and x.base == Var(array)
    ]


def reads_directly(s: Stmt, array: str) -> bool:
    """Does the statement itself, not one inside it, read an element of the array?"""
    exprs = [s.value] if isinstance(s, Store) else code_exprs(s)
    return any(isinstance(x, Index) and x.base == Var(array) for e in exprs for x in subexpressions(e))
