"""How deep calls may nest. Programs, formulas and values are trees, worked on by recursion, some deeper than Python's default.

Every entry point (`og.Script` and its steps, parsing, checking, auditing, emission, the command line) is marked with `deep`: none
accepts less than the others, and what is too deep even so is an error of the input and not one of Python's.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.source import NOWHERE

LIMIT = 10_000  # far more than what the front end lets through needs, within the stack of a thread

P = ParamSpec("P")
R = TypeVar("R")


class _Room:
    """The limit is one for all threads: it is put back when the last one leaves."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.before = 0


_ROOM = _Room()


@contextmanager
def deep_calls() -> Iterator[None]:
    """Python's limit on nested calls is at least LIMIT inside."""
    with _ROOM.lock:
        if _ROOM.users == 0:
            _ROOM.before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_ROOM.before, LIMIT))
        _ROOM.users += 1
    try:
        yield
    finally:
        with _ROOM.lock:
            _ROOM.users -= 1
            if _ROOM.users == 0:
                restore(_ROOM.before)


def restore(limit: int) -> None:
    """Python refuses a limit below the present depth: whoever called from that deep keeps the room that it needs."""
    while limit < LIMIT:
        try:
            sys.setrecursionlimit(limit)
            return
        except RecursionError:
            limit *= 2


def deep(f: Callable[P, R]) -> Callable[P, R]:
    """Mark an entry point."""

    @wraps(f)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        with deep_calls():
            try:
                return f(*args, **kwargs)
            except RecursionError:
                pass
        raise input_error("OG015", "this is nested too deeply", NOWHERE)

    return run
