"""Errors of building and calling."""

from __future__ import annotations


class BuildError(Exception):
    """A compiler is missing or has rejected what we gave it."""


class CallError(TypeError):
    """The arguments of a call do not fit the function: which one, what it should be, and what it is."""
