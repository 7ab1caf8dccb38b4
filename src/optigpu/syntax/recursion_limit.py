"""Raises Python's recursion limit while the tool runs, and lets it collect garbage less often.

Programs, formulas and terms are trees that recursive functions process, some deeper than Python's default limit. Every entry
point (`og.Script` and its steps, parsing, checking, auditing, emission, the command line) is decorated with `deep`, so all of
them accept the same programs. A tree that is still too deep is an error of the input (OG015), not a Python exception.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.source import NOWHERE

LIMIT = 10_000  # more than any program that the front end accepts needs, and within the stack of a thread
COLLECTIONS = (50_000, 20, 100)  # thresholds of the collector: terms are small, long-lived and rarely cyclic

P = ParamSpec("P")
R = TypeVar("R")


class _SharedLimit:
    """It is shared by all threads: the last one to leave restores it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.before = 0


_SHARED = _SharedLimit()


@contextmanager
def deep_calls() -> Iterator[None]:
    """Inside, Python's recursion limit is at least LIMIT, and collections are at least as rare as COLLECTIONS.

    They stay rare afterwards: to return to more frequent ones would make Python look through all terms after each step of a script.
    """
    with _SHARED.lock:
        if _SHARED.users == 0:
            _SHARED.before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_SHARED.before, LIMIT))
            thresholds = gc.get_threshold()
            if thresholds[0]:  # with 0 there are none
                gc.set_threshold(*map(max, thresholds, COLLECTIONS))
        _SHARED.users += 1
    try:
        yield
    finally:
        with _SHARED.lock:
            _SHARED.users -= 1
            if _SHARED.users == 0:
                restore(_SHARED.before)


def restore(limit: int) -> None:
    """Set the limit back. Python rejects a limit below the current depth: then keep the smallest doubling that it accepts."""
    while limit < LIMIT:
        try:
            sys.setrecursionlimit(limit)
            return
        except RecursionError:
            limit *= 2


def deep(f: Callable[P, R]) -> Callable[P, R]:
    """Decorator of an entry point: run it with a raised recursion limit."""

    @wraps(f)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        with deep_calls():
            try:
                return f(*args, **kwargs)
            except RecursionError:
                pass
        raise input_error("OG015", "this is nested too deeply", NOWHERE)

    return run
