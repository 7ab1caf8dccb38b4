"""Short ways to parse, run and test program texts."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from optigpu.frontend import parse_text
from optigpu.interp.machine import Machine
from optigpu.interp.misbehaviour import Misbehaviour
from optigpu.interp.runner import Runner
from optigpu.interp.testing import TestReport, test_function
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.program import Program
from optigpu.syntax.source import NOWHERE
from optigpu.syntax.types import FLOAT, INT, Scalar

PATIENCE = 120.0  # seconds of processor time: searches for an input end by their number of tries long before
test_function.__test__ = False  # a function of ours, not a test of pytest's
TestReport.__test__ = False


def parse(text: str) -> Program:
    return parse_text(text, "test.c")


def rejects(text: str) -> InputError:
    """The error that a malformed text gives."""
    try:
        parse(text)
    except InputError as e:
        return e
    raise AssertionError("the text was accepted")


def array(machine: Machine, name: str, values: list[Any], *dims: int, elem: Scalar | None = None) -> Any:
    elem = elem or (INT if all(isinstance(v, int) for v in values) else FLOAT)
    view = machine.allocate(name, elem, dims or (len(values),), NOWHERE, heap=False)
    view.alloc.data[:] = values
    return view


def run(text: str, *args: Any, seed: int = 0, function: str | None = None) -> tuple[Any, list[Any]]:
    """Run the last (or named) function; lists are arrays. Returns the result and the arrays afterwards."""
    program = parse(text)
    machine = Runner(program).start(seed)
    name = function or program.functions()[-1].name
    values = [array(machine, f"arg{i}", list(a)) if isinstance(a, list) else a for i, a in enumerate(args)]
    result = machine.call(name, values, NOWHERE)
    return result, [v.alloc.data for v in values if hasattr(v, "alloc")]


def misbehaves(text: str, *args: Any, seed: int = 0) -> Misbehaviour:
    try:
        run(text, *args, seed=seed)
    except Misbehaviour as m:
        return m
    raise AssertionError("the program ran without misbehaving")


def check_contract(text: str, function: str | None = None, seconds: float = PATIENCE, most: int = 300) -> TestReport:
    program = parse(text)
    name = function or program.functions()[-1].name
    return test_function(Runner(program), program.function(name), seconds=seconds, most=most)


Q = Fraction
