"""A limit on the time that a trial takes."""

from __future__ import annotations

import signal
from types import FrameType


class TooSlow(BaseException):
    """Longer than a person would wait: counted, not a failure."""


class within:
    """At most so many seconds; 0 for any number."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds

    def __enter__(self) -> None:
        if self.seconds:
            signal.signal(signal.SIGALRM, self.expired)
            signal.alarm(self.seconds)

    def __exit__(self, *_: object) -> None:
        if self.seconds:
            signal.alarm(0)

    @staticmethod
    def expired(_signal: int, _frame: FrameType | None) -> None:
        raise TooSlow
