"""Causes that the checker finds beside the proof of a function."""

from __future__ import annotations

from dataclasses import dataclass

from optigpu.kernel.causes import Cause


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction(Cause):
    """No input satisfies a precondition: the clauses that contradict each other."""

    word = "contradiction"
    function: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnverifiedCallee(Cause):
    """A function is called that is not verified."""

    word = "callee"
    function: str
