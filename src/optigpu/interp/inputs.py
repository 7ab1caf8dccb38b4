"""Inputs of a function as plain data, and the arguments they become on a machine."""

from __future__ import annotations

from optigpu.frontend.parameter_types import effective_types
from optigpu.interp.machine import Machine
from optigpu.interp.numeric_values import RuntimeValue
from optigpu.interp.rounded_numbers import Number
from optigpu.light_dataclass import dataclass
from optigpu.syntax.exprs import Array
from optigpu.syntax.program import Function


@dataclass(slots=True)
class Inputs:
    """The inputs of a run, without its memory, so that several runs can start from them."""

    scalars: dict[str, Number]
    shapes: dict[str, tuple[int, ...]]
    arrays: dict[str, list[Number]]


def cells(inputs: Inputs) -> int:
    return sum(len(a) for a in inputs.arrays.values())


def magnitude(inputs: Inputs) -> float:
    """How large inputs appear to a person: the number of cells, plus the magnitudes of the scalars."""
    return cells(inputs) + sum(abs(float(x)) for x in inputs.scalars.values())


def arguments(machine: Machine, f: Function, inputs: Inputs) -> list[RuntimeValue]:
    types = dict(zip((p.name for p in f.params), effective_types(f)))
    machine.effort.spent += cells(inputs)
    args: list[RuntimeValue] = []
    for p in f.params:
        type_ = types[p.name]
        if isinstance(type_, Array):
            view = machine.allocate(p.name, type_.elem, inputs.shapes[p.name], p.loc, heap=False, space=type_.space)
            view.alloc.data[:] = inputs.arrays[p.name]
            args.append(view)
        else:
            args.append(inputs.scalars[p.name])
    return args
