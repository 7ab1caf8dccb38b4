"""`dataclass` and `replace` as in the standard library, but cheap: a short check makes two hundred classes, and uses few of them.

The standard library writes, compiles and runs the text of six methods for each class. Here a class has its fields from there,
shares the methods that can be shared, and gets the text of `__init__` when its first instance is made.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn

__all__ = ["dataclass", "replace"]

if TYPE_CHECKING:  # to type checkers they are those of the standard library
    from dataclasses import dataclass, replace
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, repr=True, kw_only=False):
        """The decorator, with those options of the standard library's that are used here."""

        def made(cls: type) -> type:
            return _made(cls, frozen, slots, eq, repr, kw_only)

        return made if cls is None else made(cls)

    def replace(instance, /, **changes):
        """A copy of an instance with other values of some fields."""
        for name in _names(type(instance)):
            if name not in changes:
                changes[name] = getattr(instance, name)
        return type(instance)(**changes)


@cache
def _names(cls: Any) -> tuple[str, ...]:
    return tuple(f.name for f in fields(cls))


def _made(cls: type, frozen: bool, slots: bool, eq: bool, repr: bool, kw_only: bool) -> type:
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__  # the standard library would compute a signature
    own = set(vars(cls))
    cls = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(cls)
    methods: dict[str, Any] = {"__init__": _late_init(cls, frozen)}
    if repr:
        methods["__repr__"] = _repr
    if eq:
        methods["__eq__"], methods["__hash__"] = _comparison(fields(cls))
        if not frozen:
            methods["__hash__"] = None
    if frozen:
        methods |= {"__setattr__": _refuse, "__delattr__": _refuse, "__getstate__": _state, "__setstate__": _with_state}
    for name, method in methods.items():
        if name not in own:
            setattr(cls, name, method)
    return cls


def _late_init(cls: type, frozen: bool) -> Callable[..., None]:
    """An `__init__` that writes the one of the class when it is called first."""

    def __init__(self: Any, *args: Any, **named: Any) -> None:
        init = _init(cls, frozen)
        setattr(cls, "__init__", init)  # noqa: B010
        init(self, *args, **named)

    return __init__


def _init(cls: type, frozen: bool) -> Callable[..., None]:
    """The `__init__` of a class: one assignment a field. The values of frozen instances are set past their `__setattr__`."""
    listed = fields(cls)
    names: dict[str, Any] = {"_set": object.__setattr__, "_missing": MISSING}
    for f in listed:
        names |= {f"_default_{f.name}": f.default, f"_factory_{f.name}": f.default_factory}
    positional = [_parameter(f) for f in listed if not f.kw_only]
    named = [_parameter(f) for f in listed if f.kw_only]
    head = ", ".join(["self", *positional, *(["*", *named] if named else [])])
    assignment = "_set(self, {0!r}, {1})" if frozen else "self.{0} = {1}"
    body = [assignment.format(f.name, _value(f)) for f in listed] or ["pass"]
    lines = [f"def __init__({head}):", *(f"    {line}" for line in body)]
    exec("\n".join(lines), names)
    init: Callable[..., None] = names["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


def _parameter(f: Field[Any]) -> str:
    if f.default is not MISSING:
        return f"{f.name}=_default_{f.name}"
    return f.name if f.default_factory is MISSING else f"{f.name}=_missing"


def _value(f: Field[Any]) -> str:
    return f.name if f.default_factory is MISSING else f"_factory_{f.name}() if {f.name} is _missing else {f.name}"


def _comparison(listed: Iterable[Field[Any]]) -> tuple[Callable[[Any, Any], Any], Callable[[Any], int]]:
    """`__eq__` and `__hash__`, by the tuple of the fields that are compared."""
    names = [f.name for f in listed if f.compare]
    values: Callable[[Any], tuple[Any, ...]]
    if len(names) > 1:
        values = attrgetter(*names)
    else:

        def values(x: Any) -> tuple[Any, ...]:
            return tuple(getattr(x, name) for name in names)

    def same(self: Any, other: Any) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return same, lambda self: hash(values(self))


def _repr(self: Any) -> str:
    parts = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
    return f"{type(self).__qualname__}({parts})"


def _refuse(self: Any, name: str, value: Any = None) -> NoReturn:
    raise FrozenInstanceError(f"`{name}` of a `{type(self).__qualname__}` cannot change")


def _state(self: Any) -> list[Any]:
    return [getattr(self, f.name) for f in fields(self)]


def _with_state(self: Any, state: list[Any]) -> None:
    for f, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, f.name, value)
