"""Signatures of programs in Python: what callers need to know of a program, and the names of its module."""

from __future__ import annotations

import builtins
import numbers
import sys
from types import BuiltinFunctionType, FunctionType, ModuleType

from optigpu.frontend.python.python_words import TYPES, WORDS, ElementType, Size, Word
from optigpu.light_dataclass import dataclass
from optigpu.syntax.exprs import Array
from optigpu.syntax.program import Function, Param

MISSING = object()


@dataclass(frozen=True, slots=True)
class ProgramSignature:
    """A function of a program, as callers in Python see it.

    `sizes` are the parameters that Python does not pass, since they follow from the shapes of arrays; `returned` is the parameter
    for the array that the Python function returns.
    """

    function: Function
    python_params: tuple[str, ...]
    sizes: tuple[str, ...]
    returned: Param | None = None

    @property
    def name(self) -> str:
        return self.function.name

    @property
    def returned_array(self) -> Array:
        assert self.returned is not None and isinstance(self.returned.type, Array)
        return self.returned.type


class CallableProgram:
    """A function that `@og.program` made a program."""

    signature: ProgramSignature


@dataclass(frozen=True, slots=True)
class ForeignObject:
    """Stands for an object that means nothing in programs, which may do anything where it is compared or printed."""

    kind: type
    number: bool

    def __repr__(self) -> str:
        return f"{self.kind.__name__} object"


def understood(found: object) -> object:
    """An object of a module as programs see it. Only its real type counts, not what it says of itself."""
    kind = type(found)
    if type(found) is Word:
        own = WORDS.get(found.name) is found
    elif type(found) is ElementType:
        own = TYPES.get(found.name) is found
    else:
        own = issubclass(kind, CallableProgram) or kind in KNOWN_KINDS or found is PACKAGE
    return found if own or found is MISSING else ForeignObject(kind, issubclass(kind, numbers.Number))


PACKAGE = sys.modules["optigpu"]  # its class is one of ours
KNOWN_KINDS = (int, float, bool, Size, ModuleType, FunctionType, BuiltinFunctionType, type)


def kind_name(found: object) -> str:
    return found.kind.__name__ if isinstance(found, ForeignObject) else type(found).__name__


class ModuleNames:
    """The names that a function sees outside itself. What it used of them is kept: it must not change later."""

    def __init__(self, namespace: dict[str, object]) -> None:
        self.namespace = namespace
        self.constants: dict[str, int | float] = {}  # that the program uses by name
        self.programs: dict[str, CallableProgram] = {}  # that it calls, by their name as programs
        self.used: dict[str, object] = {}
        self.attributes: list[tuple[ModuleType, str, object]] = []

    def find(self, name: str) -> object:
        found = self.namespace.get(name, MISSING)
        if found is MISSING:
            found = getattr(builtins, name, MISSING)
        self.used[name] = found
        return understood(found)

    def attribute(self, module: object, name: str) -> object:
        """What `module.name` means; MISSING if the object is no module, or has no such name."""
        if type(module) is not ModuleType and module is not PACKAGE:
            return MISSING
        found = getattr(module, name, MISSING)
        self.attributes.append((module, name, found))
        return understood(found)

    def order(self) -> list[str]:
        """The constants in the order in which the module defines them."""
        return [name for name in self.namespace if name in self.constants]

    def changed(self) -> str | None:
        """A name that has another value now than the program was made with."""
        for name, value in self.used.items():
            now = self.namespace.get(name, getattr(builtins, name, MISSING))
            if now is not value and not _same(now, value):
                return name
        return next(
            (f"{m.__name__}.{n}" for m, n, value in self.attributes if getattr(m, n, MISSING) is not value), None
        )


def _same(a: object, b: object) -> bool:
    """Whether two objects mean the same to a program: equal numbers, sizes of one name."""
    if isinstance(a, Size) and isinstance(b, Size):
        return a.text == b.text
    return type(a) is type(b) and type(a) in (int, float) and repr(a) == repr(b)
