"""Records: immutable dataclasses stored as tuples, so that not even `object.__setattr__` can change a field.

Programs, contracts, families, maps and proof steps are records: they cannot change between the check of a rule and their use.
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")
RECORDS: list[type] = []  # all record classes
_named: Any = namedtuple
_STORAGE = ("__dict__", "__weakref__", "__init__", "__setattr__", "__delattr__")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """Makes a class a frozen dataclass (fields, replace, match, ==, hash) that is stored as a tuple."""
    as_dataclass: Any = dataclass(init=False, eq=False, repr=False)(cls)
    listed = sorted(fields(as_dataclass), key=lambda f: bool(f.kw_only))
    defaults = [f.default for f in listed if f.default is not MISSING]
    storage = _named(f"_{cls.__name__}", [f.name for f in listed], defaults=defaults)
    own = {name: x for name, x in vars(as_dataclass).items() if name not in (*_STORAGE, *storage._fields)}
    compared = sum(f.compare for f in listed)  # fields that are not compared are keyword-only, so they come last

    def same(self: Any, other: Any) -> bool:
        """A record is equal only to a record of the same class."""
        return other.__class__ is self.__class__ and bool(self[:compared] == other[:compared])

    own |= {"__slots__": (), "__eq__": same, "__ne__": lambda self, other: not same(self, other)}
    own["__hash__"] = tuple.__hash__ if compared == len(listed) else lambda self: hash(self[:compared])
    record_class: type[T] = type(cls.__name__, (storage,), own)
    RECORDS.append(record_class)
    return record_class
