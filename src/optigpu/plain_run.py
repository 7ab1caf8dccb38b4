"""Runs a program as the Python function that it is, on NumPy arrays: to debug it, and to compare it with what it becomes.

Integers are Python's, which do not overflow; a number that does not fit its array at the end is an error. Nothing that is verified
rests on this.
"""

from __future__ import annotations

from contextvars import ContextVar
from types import FunctionType
from typing import Any

import numpy as np

from optigpu.frontend.python.plain_arrays import PlainArray, plain_array
from optigpu.frontend.python.python_program import TranslatedProgram
from optigpu.frontend.python.python_words import NUMPY_NAMES, TYPES
from optigpu.light_dataclass import replace
from optigpu.runtime.call_error import CallError
from optigpu.runtime.signature import ArrayParam, ScalarParam, Signature
from optigpu.runtime.stored_floats import dtype_name
from optigpu.syntax.exprs import Array, Binary, Expr, Int, Var
from optigpu.syntax.types import Kind, Pointer, Scalar

RUNNING: ContextVar[bool] = ContextVar("plain", default=False)  # calls of other programs run as Python too
_OF_SCALAR = {t.scalar: t for t in TYPES.values()}


def run_plain(program: TranslatedProgram, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the Python function itself. Sizes are bound to the shapes of the arguments."""
    given = bound_arguments(program, args, kwargs)
    types = {p.name: p.type for p in program.signature.function.params}
    values = {name: _plain_value(name, value, types[name]) for name, value in given.items()}
    numbers = sizes_of(program, values)
    f = program.function
    plain = FunctionType(f.__code__, {**f.__globals__, **numbers}, f.__name__)
    inside = RUNNING.get()  # of another program, whose arrays hold Python's integers
    token = RUNNING.set(True)
    try:
        with np.errstate(divide="raise", invalid="raise"):
            result = plain(**values)
    finally:
        RUNNING.reset(token)
    for name, value in values.items():
        copied = value is not given[name] and isinstance(value, PlainArray) and value.dtype == object
        if copied and given[name].flags.writeable:  # what is written was checked to be that
            _write_back(name, value, given[name], types[name])
    returned = program.signature.returned
    if returned is not None and isinstance(returned.type, Array) and not inside:
        return _written(returned.name, result, returned.type.elem)
    t = program.signature.function.result
    return _OF_SCALAR[t](result) if isinstance(t, Scalar) and result is not None else result


def bound_arguments(program: TranslatedProgram, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments by the names of the Python parameters."""
    name, names = program.signature.name, program.signature.python_params
    if len(args) > len(names):
        raise CallError(f"{name} takes {len(names)} arguments ({', '.join(names)}), but {len(args)} were given")
    given = dict(zip(names, args))
    for key, value in kwargs.items():
        if key not in names:
            raise CallError(f"{name} has no parameter `{key}` (it has {', '.join(names)})")
        if key in given:
            raise CallError(f"{name}: `{key}` is given twice")
        given[key] = value
    if missing := [n for n in names if n not in given]:
        raise CallError(f"{name} needs {', '.join(f'`{n}`' for n in missing)}")
    return given


def require_arguments(program: TranslatedProgram, signature: Signature, given: dict[str, Any]) -> None:
    """Refuse the arguments that a call of compiled code refuses: their types, shapes, layout and overlap, but not preconditions."""
    known = {**given, **sizes_of(program, given)}
    arrays: list[ArrayParam | ScalarParam] = [
        p for p in signature.params if isinstance(p, ArrayParam) and p.name in given
    ]
    numbers = {
        p.name: signature.scalar(p, known[p.name])
        for p in signature.params
        if isinstance(p, ScalarParam) and p.name in known
    }
    for p in arrays:
        assert isinstance(p, ArrayParam)
        signature.array(p, given[p.name], numbers)
    replace(signature, params=tuple(arrays)).overlaps(given)


def sizes_of(program: TranslatedProgram, values: dict[str, Any]) -> dict[str, int]:
    """The sizes that the shapes of these arguments give. Raises CallError where two shapes do not go together."""
    signature = program.signature
    sizes: dict[str, int] = {}
    arrays = [(p, p.type) for p in signature.function.params if isinstance(p.type, Array) and p.name in values]
    for p, type_ in arrays:
        if not isinstance(values[p.name], np.ndarray):
            found = type(values[p.name]).__name__
            raise CallError(f"{signature.name}: `{p.name}` is an array of {NUMPY_NAMES[type_.elem]}, not {found}")
        shape = tuple(values[p.name].shape)
        if len(shape) != len(type_.dims):
            raise CallError(f"{signature.name}: `{p.name}` has {len(type_.dims)} dimensions, not {len(shape)}")
        for d, n in zip(type_.dims, shape):
            if isinstance(d, Var) and d.name in signature.sizes:
                sizes.setdefault(d.name, n)
    known = {n: int(v) for n, v in values.items() if isinstance(v, int | np.integer)} | sizes | program.names.constants
    for p, type_ in arrays:
        wanted = tuple(size_value(d, known) for d in type_.dims)
        shape = tuple(values[p.name].shape)
        if wanted != shape:
            raise CallError(f"{signature.name}: `{p.name}` has the shape {shape}, but its annotation says {wanted}")
    return sizes


def size_value(e: Expr | None, known: dict[str, Any]) -> int:
    """The value of a size in an annotation."""
    match e:
        case Int(value):
            return value
        case Var(name) if name in known:
            return int(known[name])
        case Binary("+" | "-" | "*" | "/" as op, left, right):
            a, b = size_value(left, known), size_value(right, known)
            return {"+": a + b, "-": a - b, "*": a * b, "/": a // b if b else 0}[op]
        case _:
            raise CallError("a size cannot be computed from the arguments: pass it as a parameter")


def _plain_value(name: str, value: Any, t: object) -> Any:
    if isinstance(t, Scalar):
        return _OF_SCALAR[t](value)
    assert isinstance(t, Array | Pointer)
    if isinstance(value, PlainArray):
        return value
    wanted = NUMPY_NAMES[t.elem]
    if not isinstance(value, np.ndarray) or dtype_name(value.dtype) != wanted:
        raise CallError(f"`{name}` is an array of {wanted}")
    return plain_array(value.astype(object) if t.elem.kind is Kind.INT else value, t.elem)


def _write_back(name: str, value: Any, original: Any, t: object) -> None:
    assert isinstance(t, Array | Pointer)
    original[...] = _written(name, value, t.elem)


def _written(name: str, value: Any, elem: Scalar) -> Any:
    """Integers as an array of machine integers; cells that were not written are 0."""
    if value.dtype != object:
        return value.view(np.ndarray)
    for x in value.flat:
        if x is not None and not elem.low <= x <= elem.high:
            raise OverflowError(f"{x} does not fit the elements of `{name}`")
    return np.array([0 if x is None else x for x in value.flat], NUMPY_NAMES[elem]).reshape(value.shape)
