"""Records: dataclasses whose fields nothing can set, `object.__setattr__` included, because they are tuples.

Programs, contracts, families, maps and proof steps are records: what a rule has looked at is what it goes on with.
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")
RECORDS: list[type] = []  # all of them
_named: Any = namedtuple
_STORAGE = ("__dict__", "__weakref__", "__init__", "__setattr__", "__delattr__")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """`@record class Place: …` is a frozen dataclass (fields, replace, match, ==, hash), stored as a tuple."""
    described: Any = dataclass(frozen=True)(cls)
    listed = sorted(fields(described), key=lambda f: bool(f.kw_only))
    defaults = [f.default for f in listed if f.default is not MISSING]
    storage = _named(f"_{cls.__name__}", [f.name for f in listed], defaults=defaults)
    own = {name: x for name, x in vars(described).items() if name not in (*_STORAGE, *storage._fields)}
    compared = sum(f.compare for f in listed)  # the others are by keyword, so they are the last

    def same(self: Any, other: Any) -> bool:
        """A record is no other tuple of the same things."""
        return other.__class__ is self.__class__ and bool(self[:compared] == other[:compared])

    own |= {"__slots__": (), "__eq__": same, "__ne__": lambda self, other: not same(self, other)}
    made: type[T] = type(cls.__name__, (storage,), own)
    RECORDS.append(made)
    return made
