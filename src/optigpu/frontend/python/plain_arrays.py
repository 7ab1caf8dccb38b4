"""Arrays for programs that run as plain Python: an index below zero, which NumPy counts from the end, is an error."""

from __future__ import annotations

from typing import Any

import numpy as np


class PlainArray(np.ndarray[Any, Any]):
    """An array whose indices are not negative. Integers are kept as Python's, which do not overflow."""

    def __getitem__(self, index: Any) -> Any:
        _require_indices(index)
        return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        _require_indices(index)
        super().__setitem__(index, value)


def _require_indices(index: Any) -> None:
    for i in index if isinstance(index, tuple) else (index,):
        if isinstance(i, int | np.integer) and i < 0:
            raise IndexError(f"the index {i} is below zero")
