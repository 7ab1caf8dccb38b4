"""The array `y` that callees of the tests of side conditions take."""

from __future__ import annotations

from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, SOME, CellClaim, Owner, box
from optigpu.logic.terms import INT

SIZE = k.var("k", INT)


def claim(owner: Owner | None = None, share: str = FULL) -> CellClaim:
    return CellClaim(box("y", (SIZE,)), SOME, None, share, owner)
