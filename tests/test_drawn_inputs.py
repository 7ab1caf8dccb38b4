"""Inputs that tests and refutations draw are values of the parameters' types, whatever constants the program mentions."""

from __future__ import annotations

import pytest

from optigpu.checker.verdict import Verdict
from optigpu.checker.verify import Settings, Verifier
from optigpu.frontend import parse_text
from optigpu.interp.machine import Runner
from optigpu.interp.refute import refute
from optigpu.interp.testing import test_function as run_tests
from optigpu.interp.testing import valid_inputs
from optigpu.syntax.types import MACHINE_SCALARS, Kind, Scalar

INTEGERS = [t for t in MACHINE_SCALARS if t.kind is Kind.INT]

INDEXED = """
void f({type} n, int a[4]) {{
  __requires("n < 4"); __consumes("a ~> Cells1(4)"); __produces("a ~> Cells1(4)");
  a[n] = 1;
}}
"""


@pytest.mark.parametrize("t", INTEGERS, ids=[t.name for t in INTEGERS])
def test_only_values_of_the_type_are_drawn(t: Scalar) -> None:
    name = t.name
    source = f'int f({name} n, {name} a[3]) {{ __reads("a ~> Cells1(3)"); return n > 300 ? 500 : 1024; }}'
    program = parse_text(source, "f.c")
    seen = list(valid_inputs(Runner(program), program.function("f"), most=60))
    assert seen
    for inputs in seen:
        for value in (inputs.scalars["n"], *inputs.arrays["a"]):
            assert t.low <= value <= t.high


def test_a_signed_index_is_refuted_below_zero() -> None:
    program = parse_text(INDEXED.format(type="int"), "f.c")
    result = Verifier(Settings(refuter=refute)).verify(program).functions[0]
    assert result.verdict is Verdict.REFUTED
    assert result.counterexample is not None
    assert "n = -" in result.counterexample.inputs


@pytest.mark.parametrize("name", ["unsigned", "uint8_t", "uint16_t", "uint64_t"])
def test_an_unsigned_index_is_not_refuted_with_a_number_that_it_cannot_be(name: str) -> None:
    program = parse_text(INDEXED.format(type=name), "f.c")
    assert run_tests(Runner(program), program.function("f"), seconds=0.5).failure is None
    assert Verifier(Settings(refuter=refute)).verify(program).functions[0].verdict is not Verdict.REFUTED


def test_tiles_fit_the_type() -> None:
    source = """
    void f(uint8_t n, int a[n]) {
      __requires("n % 200 == 0"); __writes("a ~> Cells1(n)");
      for (int i = 0; i < n; i++) a[i] = 1;
    }"""
    program = parse_text(source, "f.c")
    sizes = {i.scalars["n"] for i in valid_inputs(Runner(program), program.function("f"), most=30)}
    assert sizes <= {0, 200}
    assert 200 in sizes
