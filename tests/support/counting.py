"""Work measured by counting function calls instead of time: the same number on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from greenlet import settrace


def calls_of(work: Callable[[], object]) -> int:
    """How many functions of Python it calls, at any depth."""
    count = 0

    def seen(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def switches_of(work: Callable[[], object]) -> int:
    """How often it switches between the interpreter's threads."""
    count = 0

    def seen(event: str, argument: Any) -> None:
        nonlocal count
        count += 1

    before = settrace(seen)
    try:
        work()
    finally:
        settrace(before)
    return count
