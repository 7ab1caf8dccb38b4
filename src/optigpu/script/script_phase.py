"""Phases: steps of a script that are checked once, at the end."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType


class ScriptPhase:
    """What `with s.phase("…"):` enters. `begin` and `end` are the session's; `end` gets the error that the phase was left with."""

    def __init__(
        self, name: str, begin: Callable[[ScriptPhase], None], end: Callable[[ScriptPhase, BaseException | None], None]
    ) -> None:
        self.name = name
        self._begin = begin
        self._end = end

    def __enter__(self) -> None:
        self._begin(self)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end(self, error)
