"""The message for a package that is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from optigpu.runtime.call_error import BuildError


@contextmanager
def needs_parser_and_solver() -> Iterator[None]:
    """Report a missing package that only some commands need."""
    try:
        yield
    except ImportError as e:
        if (e.name or "").startswith("optigpu"):
            raise
        message = (
            f"the package `{e.name}` is not installed: this machine can only run what `optigpu build` made elsewhere"
        )
        raise BuildError(message) from None
