"""The names that programs in Python use: types, ranges, contracts, mathematics. Each also has its meaning in plain Python.

The translator recognises the objects of this file, under whatever name a program has imported them. What they do when Python itself
calls them (`program.python`) says what they mean; no verdict rests on it. NumPy is imported by what needs it.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from optigpu.frontend.python.genuine_objects import FLOATING, INTEGER, TRUTH
from optigpu.light_dataclass import dataclass
from optigpu.syntax.annotations import WITH
from optigpu.syntax.builtins import MORE_REAL_FUNCTIONS, REAL_FUNCTIONS
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.float_formats import FORMATS, is_stored_float
from optigpu.syntax.program import FUNCTION_CLAUSES, LOOP_CLAUSES
from optigpu.syntax.source import NOWHERE
from optigpu.syntax.types import (
    BOOL,
    DOUBLE,
    INT,
    INT8,
    INT16,
    INT64,
    UINT,
    UINT8,
    UINT16,
    UINT64,
    Kind,
    Scalar,
)

NUMPY_NAMES = {
    BOOL: "bool", INT8: "int8", INT16: "int16", INT: "int32", INT64: "int64", UINT8: "uint8", UINT16: "uint16", UINT: "uint32",
    UINT64: "uint64", **{t: f.in_arrays for t, f in FORMATS.items()},
}  # fmt: skip


class ElementType:
    """A type of numbers: `og.f32` is float, `og.f32["n", "m"]` an array of floats, `og.f32(x)` a conversion."""

    def __init__(self, name: str, scalar: Scalar) -> None:
        self.name = name
        self.scalar = scalar

    def __getitem__(self, dims: Any) -> ArrayType:
        return ArrayType(self, dims if isinstance(dims, tuple) else (dims,))

    def __call__(self, value: Any) -> Any:
        """The conversion in plain Python: of C, but a number that does not fit is an error."""
        if self.scalar.kind is Kind.FLOAT:
            import numpy as np

            from optigpu.frontend.python.plain_arrays import rounded

            if is_stored_float(self.scalar):
                return rounded(value, self.scalar)
            return np.dtype(NUMPY_NAMES[self.scalar]).type(value)
        if self.scalar.kind is Kind.BOOL:
            return bool(value)
        number = int(value)
        if not self.scalar.signed:
            return number % (1 << self.scalar.bits)
        if not self.scalar.low <= number <= self.scalar.high:
            raise OverflowError(f"{number} does not fit og.{self.name}")
        return number

    def __repr__(self) -> str:
        return f"og.{self.name}"


@dataclass(frozen=True, slots=True)
class ArrayType:
    """`og.f32["n", "m"]`: the type of an array parameter, or of the array that a function returns."""

    elem: ElementType
    dims: tuple[Any, ...]


class Size:
    """A size of arrays, `H, W = og.sizes("H W")`. Its value in a call follows from the shapes of the arguments."""

    def __init__(self, text: str) -> None:
        self.text = text

    def _with(self, other: object) -> Size:
        return Size("…")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __rfloordiv__ = __mod__ = _with

    def __index__(self) -> int:
        raise TypeError(f"the size {self.text} has a value only in a call of a program")

    def __repr__(self) -> str:
        return self.text


class Word:
    """A name of `og` with a meaning in programs. `plain` is its meaning in Python."""

    def __init__(self, name: str, plain: Callable[..., Any]) -> None:
        self.name = name
        self.plain = plain

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.plain(*args, **kwargs)

    def __repr__(self) -> str:
        return f"og.{self.name}"


def sizes(names: str) -> Any:
    """Sizes that the annotations of programs name: `H, W = og.sizes("H W")`, `n = og.sizes("n")`."""
    if not isinstance(names, str):
        raise input_error("OG019", "the sizes are named in a text", NOWHERE, help='H, W = og.sizes("H W")')
    made = tuple(Size(name) for name in names.replace(",", " ").split())
    return made[0] if len(made) == 1 else made


def _range(*bounds: int, **options: object) -> range:
    return range(*map(operator.index, bounds))


def _doubling(start: int, stop: int, factor: int = 2, **options: object) -> Iterator[int]:
    i = operator.index(start)
    while i < stop:
        if i <= 0 or factor <= 1:
            raise ArithmeticError(f"og.doubling does not move on from {i} by {factor}")
        yield i
        i *= factor


def _halving(start: int, stop: int, factor: int = 2, **options: object) -> Iterator[int]:
    i = operator.index(start)
    while i > stop:
        if i <= 0 or factor <= 1:
            raise ArithmeticError(f"og.halving does not move on from {i} by {factor}")
        yield i
        i //= factor


def _array(of: ArrayType) -> Any:
    """An array without values: of None where it holds integers, which Python computes without a limit."""
    import numpy as np

    from optigpu.frontend.python.plain_arrays import element_dtype, plain_array

    scalar = of.elem.scalar
    shape = tuple(map(operator.index, of.dims))
    dtype = element_dtype(NUMPY_NAMES[scalar]) if scalar.kind is not Kind.INT else object
    return plain_array(np.empty(shape, dtype), scalar)


def _zeros(of: ArrayType) -> Any:
    made = _array(of)
    made[...] = 0
    return made


# What has decorated a function: the words and their texts, the innermost first.
APPLIED_CONTRACTS: WeakKeyDictionary[FunctionType, list[tuple[str, tuple[object, ...]]]] = WeakKeyDictionary()


def _contract(word: str, *strings: object) -> Callable[[Any], Any]:
    if any(not isinstance(s, str) for s in strings):
        raise input_error("OG008", "a contract takes a formula", NOWHERE, help='@og.requires("…")')

    def mark(f: Any) -> Any:
        if not isinstance(f, FunctionType):
            raise input_error("OG019", "a contract stands below `@og.program`", NOWHERE, help="put @og.program on top")
        APPLIED_CONTRACTS.setdefault(f, []).append((word, strings))
        return f

    return mark


def _admitted(f: Any = None) -> Any:
    if f is None:
        return _admitted
    return _contract("admitted")(f)


def _nothing(*strings: object) -> None:
    return None


def _exact_div(a: int, b: int) -> int:
    quotient, rest = divmod(a, b)
    if rest:
        raise ArithmeticError(f"exact_div({a}, {b}) has a remainder")
    return quotient


def _quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int:
    return a - b * _quotient(a, b)


# Functions that NumPy names otherwise, or has not.
_OTHER_REAL: dict[str, Callable[..., Any]] = {
    "erf": math.erf, "erfc": math.erfc, "rsqrt": lambda x: 1 / math.sqrt(x), "fma": lambda x, y, z: x * y + z,
    "round": lambda x: math.copysign(math.floor(abs(x) + 0.5), x), "pow": math.pow,
}  # fmt: skip
_NUMPY_REAL = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "fabs": "abs",
}  # fmt: skip


def _real_function(name: str) -> Callable[..., Any]:
    def plain(*args: Any) -> Any:
        import numpy as np

        function = _OTHER_REAL.get(name) or getattr(np, _NUMPY_REAL.get(name, name))
        kept = np.result_type(*args) if any(isinstance(a, np.floating) for a in args) else np.dtype("float64")
        return kept.type(function(*args))

    return plain


TYPES = {
    name: ElementType(name, scalar)
    for name, scalar in {
        "bool_": BOOL, "i8": INT8, "i16": INT16, "i32": INT, "i64": INT64, "u8": UINT8, "u16": UINT16, "u32": UINT, "u64": UINT64,
        **{f.in_python: t for t, f in FORMATS.items()},
    }.items()
}  # fmt: skip
PYTHON_TYPES: tuple[tuple[object, Scalar], ...] = ((INTEGER, INT), (FLOATING, DOUBLE), (TRUTH, BOOL))  # in annotations
REAL_WORDS = {name: Word(name, _real_function(name)) for name in (*REAL_FUNCTIONS, *MORE_REAL_FUNCTIONS)}
# A word -> the annotation of C that it stands for.
CLAUSE_WORDS = {kind: f"__{kind}" for kind in (*FUNCTION_CLAUSES, *LOOP_CLAUSES) if kind != "reverts"}
MARKER_WORDS = {"admitted": "__admitted"}
STEP_WORDS = {
    "ghost": "__ghost", "ghost_begin": "__GHOST_BEGIN", "ghost_end": "__GHOST_END", "assertion": "__ASSERT", "with_": WITH,
}  # fmt: skip
RANGES = ("range", "parallel", "simd")
SCALED_RANGES = ("doubling", "halving")
ARRAYS = ("empty", "zeros", "local")
INTEGER_WORDS = {"exact_div": _exact_div, "quotient": _quotient, "remainder": _remainder}

WORDS: dict[str, Word] = {
    **{name: Word(name, partial(_contract, name)) for name in CLAUSE_WORDS},
    **{name: Word(name, _admitted) for name in MARKER_WORDS},
    **{name: Word(name, _nothing) for name in STEP_WORDS},
    **{name: Word(name, _range) for name in RANGES},
    **{name: Word(name, plain) for name, plain in zip(SCALED_RANGES, (_doubling, _halving))},
    **{name: Word(name, plain) for name, plain in zip(ARRAYS, (_array, _zeros, _array))},
    **{name: Word(name, plain) for name, plain in INTEGER_WORDS.items()},
    **REAL_WORDS,
}
# All names that `import optigpu as og` gives for programs, besides `og.program` and the logical definitions.
PROGRAM_NAMES: dict[str, object] = {**TYPES, **WORDS, "inf": math.inf, "sizes": sizes}
