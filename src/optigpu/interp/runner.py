"""A program compiled once, to be run many times."""

from __future__ import annotations

from optigpu.interp.compile import compile_program
from optigpu.interp.effort import START, Effort
from optigpu.interp.machine import DEFAULT_FUEL, Machine
from optigpu.syntax.program import CallStmt, Program
from optigpu.syntax.walk import statements


class Runner:
    """A compiled program; each run starts on a machine of its own. `effort`: what they all have cost."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.effort = Effort()
        self.functions = compile_program(program)
        self.kernels: set[str] = set()  # the functions that launch kernels, or call one that does
        for f in self.functions.values():
            calls = {s.call.func for s in statements(f.function.body) if isinstance(s, CallStmt)}
            if calls & {"kernel_launch", *self.kernels}:
                self.kernels.add(f.function.name)

    def start(self, seed: int = 0, fuel: int = DEFAULT_FUEL) -> Machine:
        self.effort.spent += START
        return Machine(self.program, self.functions, seed, fuel, self.effort)
