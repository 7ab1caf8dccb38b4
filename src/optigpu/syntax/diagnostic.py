"""Errors as data: a code, the places concerned, and a suggested fix. Only `report/` renders them as text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field

from optigpu.light_dataclass import dataclass, replace
from optigpu.syntax.source import NOWHERE, Loc


@dataclass(frozen=True, slots=True)
class Label:
    """A second place of an error, with a remark about it."""

    loc: Loc
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """`message` is one sentence about `loc`. `notes` are named facts (need, have, witness); `help` suggests an edit."""

    code: str
    message: str
    loc: Loc
    labels: tuple[Label, ...] = ()
    notes: tuple[tuple[str, str], ...] = field(default=())
    help: str | None = None


class InputError(Exception):
    """The input is malformed or outside the language (exit code 2)."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        place = f"{diagnostic.loc}: " if diagnostic.loc.line else ""
        super().__init__(place + diagnostic.message)
        self.diagnostic = diagnostic
        self.rendered: str | None = None  # with excerpts, where the error leaves the package

    def __str__(self) -> str:
        return self.rendered or super().__str__()


def input_error(
    code: str, message: str, loc: Loc, *, labels: tuple[Label, ...] = (), help: str | None = None
) -> InputError:
    return InputError(Diagnostic(code, message, loc, labels, (), help))


@contextmanager
def placed_at(loc: Loc) -> Iterator[None]:
    """Errors about expressions that were made, and have no place of their own, get this one."""
    try:
        yield
    except InputError as e:
        if e.diagnostic.loc is not NOWHERE or loc is NOWHERE:
            raise
        raise InputError(replace(e.diagnostic, loc=loc)) from e
