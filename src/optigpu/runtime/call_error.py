"""Errors of building and calling, and the exit codes of the command line."""

from __future__ import annotations

FINE, WRONG, BAD_INPUT, OUR_BUG = 0, 1, 2, 3


class BuildError(Exception):
    """A compiler is missing or has rejected what we gave it."""


class CallError(TypeError):
    """The arguments of a call do not fit the function: which one, what it should be, and what it is."""
