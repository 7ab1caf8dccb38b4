"""Arrays of random numbers, and of NaN where a kernel must write every element."""

from __future__ import annotations

from typing import Any

import numpy as np

rng = np.random.default_rng(7)


def random(*shape: int) -> Any:
    return rng.standard_normal(shape).astype(np.float32)


def poison(*shape: int) -> Any:
    return np.full(shape, np.nan, np.float32)
