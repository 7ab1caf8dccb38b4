"""Trees of syntax as JSON, with places and types, and back.

A tree that is read is equal to the one that was written, but for the ids of statements, which are new.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from optigpu.syntax import exprs, program, source, types

_CLASSES: dict[str, Any] = {
    c.__name__: c
    for module in (types, exprs, source, program)
    for c in vars(module).values()
    if isinstance(c, type) and (is_dataclass(c) or issubclass(c, Enum)) and c.__module__ == module.__name__
}


def tree_to_json(x: object) -> Any:
    """A node, a tuple of nodes, or a field of a node."""
    match x:
        case Enum():
            return {"!": type(x).__name__, "name": x.name}
        case None | str() | bool() | int():
            return x
        case Fraction():
            return {"!": "Fraction", "value": str(x)}
        case tuple():
            return [tree_to_json(y) for y in x]
        case _ if is_dataclass(x) and type(x).__name__ in _CLASSES:
            own = {f.name: tree_to_json(getattr(x, f.name)) for f in fields(x) if f.name != "id"}
            return {"!": type(x).__name__, **own}
        case _:
            raise TypeError(f"{type(x).__name__} is no part of a program")


def tree_from_json(x: Any) -> Any:
    """The tree that was written. Raises KeyError, TypeError or ValueError for what is none."""
    match x:
        case list():
            return tuple(tree_from_json(y) for y in x)
        case {"!": "Fraction", "value": value}:
            return Fraction(value)
        case {"!": "Loc", "line": 0}:
            return source.NOWHERE
        case {"!": name}:
            node = _CLASSES[name]
            if issubclass(node, Enum):
                return node[x["name"]]
            return node(**{field: tree_from_json(value) for field, value in x.items() if field != "!"})
        case _:
            return x
