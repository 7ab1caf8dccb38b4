"""Errors of building and calling, and the exit codes of the command line."""

from __future__ import annotations

FINE, WRONG, BAD_INPUT, OUR_BUG = 0, 1, 2, 3


class BuildError(Exception):
    """A compiler is missing, or it rejected the emitted text."""


class CallError(TypeError):
    """An argument does not fit the function: which one, the expected and the actual value."""
