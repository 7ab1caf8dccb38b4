"""Digests of trees: equal for trees of the same nodes with the same types, wherever they were written.

Everything that a checker reads takes part, also what comparison leaves out (types, claims of ghosts). Places (`loc`) and identities
of statements (`id`) do not. Each part is written with its kind and length, so that no two trees are written alike.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache
from typing import Any

from optigpu.syntax.source import Loc, StatementId
from optigpu.syntax.types import Scalar

WITHOUT_PLACES = ("loc", "id")


def tree_digest(tree: object) -> str:
    """A hash of a tree of syntax, without its places."""
    out: list[str] = []
    _write(tree, out)
    return hashlib.sha256("".join(out).encode()).hexdigest()


def places_digest(tree: object) -> str:
    """A hash of the places in a tree of syntax, in the order of its nodes."""
    out: list[str] = []
    _write_places(tree, out)
    return hashlib.sha256("".join(out).encode()).hexdigest()


def _write(x: object, out: list[str]) -> None:
    writer = _WRITERS.get(type(x))
    if writer is not None:
        out.append(writer(x))
    elif type(x) is tuple:
        out.append(f"({len(x)} ")
        for y in x:
            _write(y, out)
    elif isinstance(x, Enum):
        out.append(f"{type(x).__name__}.{x.name} ")
    else:
        kind: Any = type(x)
        head, names = _node_form(kind)
        out.append(head)
        for name in names:
            _write(getattr(x, name), out)


@cache
def _node_form(node: Any) -> tuple[str, tuple[str, ...]]:
    """How a node is written: its kind, and the fields that follow."""
    kind: str = node.__name__
    if not is_dataclass(node):
        raise TypeError(f"{kind} is no part of a program")
    return f"{kind}:", tuple(f.name for f in fields(node) if f.name not in WITHOUT_PLACES)


@cache
def _scalar_text(t: Scalar) -> str:
    return f"Scalar:{t!r} "


_WRITERS: dict[type, Callable[..., str]] = {
    str: lambda x: f"{len(x)}'{x}",
    int: lambda x: f"{x} ",
    bool: lambda x: f"{x} ",
    type(None): lambda x: "- ",
    Fraction: lambda x: f"{x.numerator}/{x.denominator} ",
    Scalar: _scalar_text,
}


def _write_places(x: object, out: list[str]) -> None:
    match x:
        case Loc():
            out.append(f"{len(x.file)}'{x.file} {x.line} {x.column} {x.end_line} {x.end_column} ")
        case StatementId():
            _write_places(x.origin(), out)
        case tuple():
            for y in x:
                _write_places(y, out)
        case _ if is_dataclass(x) and not isinstance(x, type | Enum | Scalar):
            for f in fields(x):
                _write_places(getattr(x, f.name), out)
