"""A question for the solver that is false and takes long to refute: the pigeonhole principle."""

from __future__ import annotations

from itertools import combinations

from optigpu.logic import terms as k
from optigpu.logic.terms import BOOL, Term


def pigeons(n: int) -> list[Term]:
    """n + 1 pigeons, n holes: false, and hard to find out."""
    x = {(i, j): k.var(f"x{i}_{j}", BOOL) for i in range(n + 1) for j in range(n)}
    each = [k.or_(*(x[i, j] for j in range(n))) for i in range(n + 1)]
    return each + [k.not_(k.and_(x[a, j], x[b, j])) for j in range(n) for a, b in combinations(range(n + 1), 2)]
