"""Sizes of tiles in shared memory: which of them the swizzle fits."""

from __future__ import annotations

from optigpu.syntax.exprs import Expr, Int
from optigpu.syntax.types import Scalar

PANEL = 128  # bytes of a row of a panel
NARROW_PANELS = (32, 64)
SWIZZLED_ROWS = 8  # rows after which the swizzle repeats
TILE_BYTES = 1024  # after which it repeats: tiles begin at multiples of it


def is_swizzled(elem: Scalar, dims: tuple[Expr | None, ...]) -> bool:
    """Do the sizes of a tile allow the swizzle?"""
    sizes = [d.value for d in dims if isinstance(d, Int)]
    if len(dims) < 2 or len(sizes) != len(dims):
        return False
    rows, row_bytes = sizes[-2], sizes[-1] * elem.size
    return rows % SWIZZLED_ROWS == 0 and (row_bytes % PANEL == 0 or row_bytes in NARROW_PANELS)
