"""Whether a changed program computes what the original does: on the same random inputs, by interpreter and compiled."""

from __future__ import annotations

import random
from fractions import Fraction
from math import isnan
from typing import Any

from optigpu.codegen.c import emit_c
from optigpu.commands.differential import compare_on
from optigpu.frontend.parameter_types import effective_types
from optigpu.interp.heap import UNINIT, MemoryView
from optigpu.interp.inputs import Inputs, arguments
from optigpu.interp.misbehaviour import CannotEvaluate, Misbehaviour, OutOfFuel
from optigpu.interp.runner import Runner
from optigpu.interp.testing import valid_inputs
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.signature import signature_of
from optigpu.syntax.macro_constants import without_constants
from optigpu.syntax.program import Function, Program, Role
from optigpu.syntax.source import NOWHERE

FUEL = 400_000
TOLERANCE = 1e-9  # exponentials and roots are floats in the interpreter; all else is exact

State = tuple[Any, list[list[Any]]]


class Behaviour:
    """The original, and what it computes."""

    def __init__(self, original: Program, seed: int, inputs: int = 4) -> None:
        self.original = Runner(original)
        self.hosts = [f for f in original.functions() if f.role is Role.HOST and not f.admitted]
        self.runs = self.compiled = 0
        self.known: list[tuple[Function, Inputs, State]] = []
        for f in self.hosts:
            for example in valid_inputs(self.original, f, seed=seed, most=inputs):
                self._add(f, example)

    def _add(self, f: Function, inputs: Inputs) -> bool:
        try:
            self.known.append((f, inputs, self.run(self.original, f, inputs)))
        except OutOfFuel:
            return False
        return True

    def run(self, runner: Runner, f: Function, inputs: Inputs) -> State:
        """The result and the arrays afterwards. The contract is checked on the way, and every access."""
        self.runs += 1
        machine = runner.start(self.runs, FUEL)
        views = arguments(machine, f, inputs)
        result = machine.call(f.name, views, NOWHERE)
        return result, [list(v.alloc.data) for v in views if isinstance(v, MemoryView)]

    def difference(self, program: Program, rng: random.Random, *, compiled: bool) -> str | None:
        """A description of the first difference in behaviour; None if no run differs."""
        runner = Runner(program)
        for f in self.hosts:  # inputs around the constants of the changed program
            for inputs in valid_inputs(runner, program.function(f.name), seed=rng.randrange(1000), most=2):
                self._add(f, inputs)
        for f, inputs, expected in self.known:
            try:
                state = self.run(runner, program.function(f.name), inputs)
            except Misbehaviour as m:
                return f"{f.name}({inputs}) misbehaves: {m.code} {m.message} at {m.loc}"
            except (OutOfFuel, CannotEvaluate):
                continue
            if not same(expected, state):
                return f"{f.name}({inputs}) gives {state} instead of {expected}"
        del self.known[8:]
        if not compiled:
            return None
        self.compiled += 1
        for f in self.hosts:
            seen = without_constants(program, f)
            made = CFunction(emit_c(program), signature_of(seen, effective_types(seen)))
            for g, inputs, _ in self.known:
                wrong = compare_on(made, self.original, f, inputs) if g is f else None
                if wrong is not None:
                    return f"compiled, {f.name} differs in {wrong.what}: {wrong}"
        return None


def same(a: Any, b: Any) -> bool:
    match a, b:
        case (list() | tuple(), list() | tuple()):
            return len(a) == len(b) and all(map(same, a, b))
        case (float(), int() | float() | Fraction()) | (int() | Fraction(), float()):
            x, y = float(a), float(b)
            return x == y or abs(x - y) <= TOLERANCE * max(1.0, abs(x), abs(y)) or (isnan(x) and isnan(y))
        case _:
            return a is UNINIT or bool(a == b)
