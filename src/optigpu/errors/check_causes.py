"""Causes that the checker finds beside the proof of a function."""

from __future__ import annotations

from optigpu.kernel.causes import Cause, with_fields


@with_fields
class Contradiction(Cause, word="contradiction"):
    """No input satisfies a precondition: the clauses that contradict each other."""

    function: str
    text: str


@with_fields
class TimeIsOver(Cause, word="time"):
    """A proof took longer than its user allows."""

    seconds: str


@with_fields
class UnverifiedCallee(Cause, word="callee"):
    """A function is called that is not verified."""

    function: str
