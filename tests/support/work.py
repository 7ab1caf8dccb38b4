"""Work of the checker, counted instead of timed: how often Python functions are called.

The count is the same in every run up to a few finalisers, so a test can bound how it grows.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from math import log
from typing import Any

from optigpu.check.verify import Verifier
from optigpu.frontend import parse_text
from optigpu.logic import terms as k
from optigpu.logic.bounds import bounds_from
from tests.support.counting import calls_of

REMEMBERED: tuple[Any, ...] = (
    k.abstract,
    k.instantiate,
    bounds_from,
)  # what they remember would depend on earlier checks


def calls_in(work: Callable[[], object]) -> int:
    """The number of calls of Python functions while this runs, without those of finalisers."""
    gc.disable()
    try:
        return calls_of(work)
    finally:
        gc.enable()


def checking_work(text: str) -> int:
    """The work of a check, without parsing, by a verifier that remembers nothing."""
    program, verifier = parse_text(text), Verifier()
    for f in REMEMBERED:
        f.cache_clear()
    return calls_in(lambda: verifier.verify(program))


def exponent(sizes: tuple[int, int], work: tuple[float, float]) -> float:
    """The power of n by which work grows between two sizes."""
    return log(work[1] / work[0]) / log(sizes[1] / sizes[0])
