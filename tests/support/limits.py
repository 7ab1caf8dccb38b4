"""A limit on the time that a trial takes."""

from __future__ import annotations

import signal
from types import FrameType


class TooSlow(BaseException):
    """Longer than a person would wait: counted, not a failure."""


class within:
    """Limit the CPU time of a block, independent of the machine's load; 0 means no limit.

    Code that the limit stops may hide why (ctypes turns any exception in an argument into its own), so `over` remembers it, and
    what goes on all the same is stopped again a second later.
    """

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        self.over = False

    def __enter__(self) -> None:
        if self.seconds:
            signal.signal(signal.SIGPROF, self.expired)
            signal.setitimer(signal.ITIMER_PROF, self.seconds, 1.0)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self.seconds:
            signal.setitimer(signal.ITIMER_PROF, 0)
        if self.over and kind is not None:
            raise TooSlow

    def expired(self, _signal: int, _frame: FrameType | None) -> None:
        self.over = True
        raise TooSlow
