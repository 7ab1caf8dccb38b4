"""What was computed of a loop, remembered by the identity of its code: to compare or hash the code of a loop takes long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from optigpu.kernel.instructions import CountedLoop

T = TypeVar("T")
MAX_REMEMBERED = 4000


class LoopMemo(Generic[T]):
    """A function of loops that computes each value once."""

    def __init__(self, compute: Callable[[CountedLoop], T]) -> None:
        self._compute = compute
        self._known: dict[int, tuple[CountedLoop, T]] = {}  # the loop is kept, so that no other one has its identity

    def __call__(self, loop: CountedLoop) -> T:
        known = self._known.get(id(loop))
        if known is None:
            if len(self._known) > MAX_REMEMBERED:
                self._known.clear()
            known = self._known[id(loop)] = loop, self._compute(loop)
        return known[1]
