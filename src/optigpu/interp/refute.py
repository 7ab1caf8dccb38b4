"""Search for a concrete input on which a program misbehaves, which the verdict REFUTED needs."""

from __future__ import annotations

from optigpu.interp.inputs import Inputs
from optigpu.interp.misbehaviour import CannotEvaluate
from optigpu.interp.runner import Runner
from optigpu.interp.testing import Failure, test_function
from optigpu.light_dataclass import dataclass
from optigpu.syntax.diagnostic import Diagnostic, InputError
from optigpu.syntax.program import Program, Role

HOST_SIDE = "OG226"  # device code is executed by the host


@dataclass(frozen=True, slots=True)
class Witness:
    """An input on which the program misbehaves, and the error."""

    diagnostic: Diagnostic
    arguments: Inputs
    inputs: str
    seed: int


def refute(program: Program, function: str, *, seconds: float = 1.5, most: int = 400) -> Witness | None:
    """A witness that a function misbehaves on an input that its contract allows; None if none is found."""
    f = program.function(function)
    if f.role is Role.GHOST:  # a proof is not executed
        return None
    try:
        report = test_function(Runner(program), f, seconds=seconds, most=most)
    except (CannotEvaluate, InputError):
        return None
    if report.failure is None or (f.role is Role.DEVICE and report.failure.misbehaviour.code == HOST_SIDE):
        return None  # a device function is run by one thread without a kernel: that it needs one is no error of its
    return witness_of(report.failure)


def witness_of(failure: Failure) -> Witness:
    return Witness(failure.misbehaviour.diagnostic(), failure.inputs, describe_inputs(failure.inputs), failure.seed)


def describe_inputs(inputs: Inputs) -> str:
    """The text of an input: `n = 3, a = [1, 0, 2]`."""
    parts = [f"{name} = {value}" for name, value in inputs.scalars.items()]
    for name, values in inputs.arrays.items():
        contents = ", ".join(str(v) for v in values[:16]) + (", …" if len(values) > 16 else "")
        shape = "".join(f"[{n}]" for n in inputs.shapes[name]) if len(inputs.shapes[name]) > 1 else ""
        parts.append(f"{name}{shape} = [{contents}]")
    return ", ".join(parts)
