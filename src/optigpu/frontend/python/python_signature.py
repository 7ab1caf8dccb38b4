"""Signatures of programs in Python: what callers need to know of a program, and the names of its module."""

from __future__ import annotations

import builtins
import math
from types import ModuleType

from optigpu.frontend.python.python_words import Size
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
        return found

    def attribute(self, module: object, name: str) -> object:
        """What `module.name` means; MISSING if the object is no module, or has no such name."""
        if not isinstance(module, ModuleType):
            return MISSING
        found = getattr(module, name, MISSING)
        self.attributes.append((module, name, found))
        return found

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


# Functions of Python's `math` that are those of C on doubles: object -> name.
MATH_FUNCTIONS: dict[object, str] = {
    getattr(math, name): name
    for name in (
        "sqrt", "exp", "exp2", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tan", "asin", "acos", "atan", "atan2",
        "sinh", "cosh", "tanh", "erf", "erfc", "pow", "fabs", "hypot", "cbrt", "fmod", "copysign",
    )
}  # fmt: skip


def _same(a: object, b: object) -> bool:
    """Whether two objects mean the same to a program: equal numbers, sizes of one name."""
    if isinstance(a, Size) and isinstance(b, Size):
        return a.text == b.text
    return type(a) is type(b) and type(a) in (int, float) and a == b
