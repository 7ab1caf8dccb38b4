"""Compares a program in Python, run by Python itself, with the interpreter on the program that it became."""

from __future__ import annotations

from typing import Any

from optigpu.commands.differential import is_close
from optigpu.decorated_program import PythonProgram
from optigpu.interp.heap import MemoryView, Uninit
from optigpu.interp.inputs import Inputs, arguments
from optigpu.interp.misbehaviour import Misbehaviour
from optigpu.interp.runner import Runner
from optigpu.interp.testing import valid_inputs
from optigpu.runtime.signature import DTYPES
from optigpu.runtime.stored_floats import array_of
from optigpu.syntax.exprs import Array
from optigpu.syntax.program import Function
from optigpu.syntax.source import NOWHERE
from optigpu.syntax.types import Kind, Pointer, Scalar

PYTHON_ERRORS = (
    ArithmeticError,
    IndexError,
    ValueError,
    TypeError,
)  # TypeError: None, which was not written, in arithmetic


def compared_runs(p: PythonProgram, *, seed: int = 1, most: int = 12) -> int:
    """How many random inputs both gave the same results for. An input on which the program misbehaves counts if Python raises an
    error there, too; where its integers do not fit, Python's still do, and it does not count."""
    runner, runs = Runner(p.program), 0
    f = p.program.function(p.signature.name)
    for inputs in valid_inputs(runner, f, seed=seed, most=most):
        runs += _compare(p, runner, f, inputs)
    return runs


def _compare(p: PythonProgram, runner: Runner, f: Function, inputs: Inputs) -> int:
    machine = runner.start()
    views = arguments(machine, f, inputs)
    given = {q.name: _argument(q.type, inputs, q.name) for q in f.params}
    passed = {name: given[name] for name in p.signature.python_params}
    try:
        expected = machine.call(f.name, views, NOWHERE)
    except Misbehaviour as e:
        if e.code in ("OG208", "OG209"):  # bits of negative numbers; an overflow
            return 0
        try:
            p.python(**passed)
        except PYTHON_ERRORS:
            return 1
        raise AssertionError(f"the program misbehaves ({e.code}: {e}) where Python does not: {inputs}") from e
    result = p.python(**passed)
    if p.signature.returned is not None:
        given[p.signature.returned.name] = result
    elif expected is not None:
        assert is_close(expected, result), (result, expected, inputs)
    for q, view in zip(f.params, views):
        if isinstance(view, MemoryView):
            for held, have in zip(view.alloc.data, given[q.name].reshape(-1)):
                agree = isinstance(held, Uninit) or is_close(held, have)
                assert agree, (q.name, have, held, inputs)
    return 1


def _argument(t: object, inputs: Inputs, name: str) -> Any:
    if isinstance(t, Scalar):
        return float(inputs.scalars[name]) if t.kind is Kind.FLOAT else inputs.scalars[name]
    assert isinstance(t, Array | Pointer)
    values = [float(v) if t.elem.kind is Kind.FLOAT else int(v) for v in inputs.arrays[name]]
    return array_of(values, DTYPES[t.elem.name]).reshape(inputs.shapes[name])
