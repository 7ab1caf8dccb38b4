"""Differential test: runs a compiled function and the interpreter on the same inputs and compares their results."""

from __future__ import annotations

from typing import Any

import numpy as np

from optigpu.interp.heap import MemoryView, Uninit
from optigpu.interp.inputs import Inputs, arguments
from optigpu.interp.rounded_numbers import Number, error_of
from optigpu.interp.runner import Runner
from optigpu.interp.testing import valid_inputs
from optigpu.light_dataclass import dataclass
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.cuda import CudaFunction
from optigpu.runtime.signature import DTYPES, ArrayParam, Signature
from optigpu.runtime.stored_floats import array_of, as_doubles, is_bfloat16
from optigpu.syntax.program import Function
from optigpu.syntax.source import NOWHERE

RELATIVE, ABSOLUTE = 2e-4, 2e-4
ROUNDED_APART = 2  # compiled code rounds floats too: then a number halfway between two may be rounded to the other one


@dataclass(frozen=True, slots=True)
class Difference:
    """A disagreement: the array or the result, the compiled and the interpreted value, and the inputs."""

    what: str
    compiled: object
    interpreted: object
    inputs: Inputs


def numpy_arguments(signature: Signature, inputs: Inputs) -> list[Any]:
    args: list[Any] = []
    for p in signature.params:
        if isinstance(p, ArrayParam):
            values = [float(v) if p.elem.kind.value == "float" else v for v in inputs.arrays[p.name]]
            args.append(array_of(values, DTYPES[p.elem.name]).reshape(inputs.shapes[p.name]))
        else:
            value = inputs.scalars[p.name]
            args.append(float(value) if p.type.kind.value == "float" else value)
    return args


def compare(
    compiled: CFunction | CudaFunction, runner: Runner, f: Function, *, seed: int = 0, runs: int = 20
) -> Difference | None:
    """Run both on random inputs; None if they agree on all of them."""
    for inputs in valid_inputs(runner, f, seed=seed, most=runs):
        difference = compare_on(compiled, runner, f, inputs)
        if difference is not None:
            return difference
    return None


def compare_on(compiled: CFunction | CudaFunction, runner: Runner, f: Function, inputs: Inputs) -> Difference | None:
    machine = runner.start()
    views = arguments(machine, f, inputs)
    expected = machine.call(f.name, views, NOWHERE)
    args = numpy_arguments(compiled.signature, inputs)
    result = compiled(*args)
    if expected is not None and not is_close(expected, result):
        return Difference("the result", result, expected, inputs)
    for p, view, array in zip(compiled.signature.params, views, args):
        if isinstance(p, ArrayParam) and isinstance(view, MemoryView) and not agrees(view, array):
            return Difference(f"`{p.name}`", array, [str(x) for x in view.alloc.data], inputs)
    return None


def agrees(view: MemoryView, array: Any) -> bool:
    """Whether interpreted and compiled contents agree. A cell that the interpreter left unwritten agrees with anything."""
    flat = as_doubles(array.reshape(-1)) if is_bfloat16(array.dtype) else array.reshape(-1)
    for held, have in zip(view.alloc.data, flat):
        if isinstance(held, Uninit):
            continue
        if not is_close(held, have):
            return False
    return True


def is_close(interpreted: Number, compiled: Any) -> bool:
    """Whether two numbers agree up to the rounding of floats, and of the types that are only stored."""
    most = ABSOLUTE + ROUNDED_APART * error_of(interpreted)
    return bool(np.isclose(float(interpreted), float(compiled), rtol=RELATIVE, atol=most, equal_nan=True))
