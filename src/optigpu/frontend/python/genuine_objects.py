"""The objects of Python itself that programs may use, under whatever names.

They are compared by identity, since an object may call itself equal to anything. One that something else stood in for when this
module was loaded is unknown to programs.
"""

from __future__ import annotations

import builtins
import math
from types import BuiltinFunctionType, ModuleType
from typing import Any

HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class that Python code made
REAL_FUNCTIONS_OF_MATH = (
    "sqrt", "exp", "exp2", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tan", "asin", "acos", "atan", "atan2",
    "sinh", "cosh", "tanh", "erf", "erfc", "pow", "fabs", "hypot", "cbrt", "fmod", "copysign",
)  # fmt: skip


def genuine(module: ModuleType, name: str) -> Any:
    """The object of this name if it is the one that is part of Python, else one that no name means."""
    found = getattr(module, name, None)
    if type(found) is BuiltinFunctionType:
        own = found.__self__ is module and found.__name__ == name
    else:
        own = type(found) is type and found.__name__ == name and not found.__flags__ & HEAP_TYPE
    return found if own else object()


ABS, MIN, MAX, LEN = (genuine(builtins, name) for name in ("abs", "min", "max", "len"))
INTEGER, FLOATING, TRUTH = (genuine(builtins, name) for name in ("int", "float", "bool"))
RANGE, REVERSED = (genuine(builtins, name) for name in ("range", "reversed"))
# Functions of Python's `math` that are those of C on doubles.
MATH_FUNCTIONS: tuple[tuple[object, str], ...] = tuple((genuine(math, name), name) for name in REAL_FUNCTIONS_OF_MATH)


def math_function(found: object) -> str | None:
    """The name of a function of `math`; None if the object is none of them."""
    return next((name for function, name in MATH_FUNCTIONS if function is found), None)
