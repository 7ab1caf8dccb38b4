"""Inputs that tests and refutations draw are values of the parameters' types, whatever constants the program mentions."""

from __future__ import annotations

from fractions import Fraction

import pytest

from optigpu.check.verdict import Verdict
from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_text
from optigpu.interp.candidate_values import candidate_floats, values_of
from optigpu.interp.refute import refute
from optigpu.interp.runner import Runner
from optigpu.interp.testing import test_function as run_tests
from optigpu.interp.testing import valid_inputs
from optigpu.syntax.program import Program
from optigpu.syntax.types import MACHINE_SCALARS, Kind, Scalar
from tests.support.running import PATIENCE

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


# name -> (parameters, body that returns WRONG on few inputs and else 0, what the inputs must say)
RARE = {
    "above a constant": ("float x", "return x < 5.0f ? 0 : WRONG;", "x = 5"),
    "a constant": ("double x", "return x == 123.5 ? WRONG : 0;", "x = 247/2"),
    "two": ("float x, float y", "int r = 0; if (x > 50.0f) if (y < -60.0f) r = WRONG; return r;", "x = 51, y = -61"),
    "large": ("float x", "return x * x > 200000.0f ? WRONG : 0;", "x = 1000"),
    "small": ("float x", "int r = 0; if (x > 0.0f) if (x * 300.0f < 1.0f) r = WRONG; return r;", "x = 1/1024"),
    "beside a size": ("int n, float x", "int r = 0; if (n > 3) if (x > 77.0f) r = WRONG; return r;", "x = 78"),
    "a cell": ("float a[3]", "return a[1] > 100.0f ? WRONG : 0;", "a = [0, "),
    "a cell of integers": ("int a[3]", "return a[1] > 100 ? WRONG : 0;", "a = [0, "),
    "a truth value": ("bool b", "return b ? WRONG : 0;", "b = True"),
}


def with_rare_result(parameters: str, body: str, wrong: str) -> Program:
    reads = '__reads("a ~> Cells1(3)");' if "[3]" in parameters else ""
    return parse_text(
        f'int f({parameters}) {{ {reads} __ensures("_Res == 0"); {body.replace("WRONG", wrong)} }}', "f.c"
    )


@pytest.mark.parametrize("name", RARE)
def test_a_wrong_result_on_few_inputs_is_refuted(name: str) -> None:
    parameters, body, message = RARE[name]
    program = with_rare_result(parameters, body, "1")
    result = Verifier(Settings(refuter=refute)).verify(program).functions[0]
    assert result.verdict is Verdict.REFUTED
    assert result.counterexample is not None
    assert message in result.counterexample.inputs
    second_witness = refute(program, "f")
    assert second_witness is not None and second_witness.inputs == result.counterexample.inputs


@pytest.mark.parametrize("name", RARE)
def test_a_right_result_on_few_inputs_is_tested_and_passes(name: str) -> None:
    parameters, body, _ = RARE[name]
    program = with_rare_result(parameters, body, "0")
    report = run_tests(Runner(program), program.function("f"), seconds=PATIENCE)
    assert report.failure is None
    assert report.runs > 20 or name == "a truth value"


@pytest.mark.parametrize(("parameters", "most"), [("", 1), ("bool b", 3), ("bool b, bool c", 5)])
def test_functions_with_few_inputs_end_early(parameters: str, most: int) -> None:
    program = parse_text(f"int f({parameters}) {{ return 0; }}", "f.c")
    assert 1 <= run_tests(Runner(program), program.function("f")).runs <= most


def test_inputs_around_constants_satisfy_preconditions_on_floats() -> None:
    program = parse_text('int f(float x) { __requires("x > 1000"); __ensures("_Res == 0"); return 0; }', "f.c")
    report = run_tests(Runner(program), program.function("f"), seconds=PATIENCE)
    assert report.gave_up is None and report.runs > 2


@pytest.mark.parametrize(("function", "large"), [("fabsf", True), ("expf", False)])
def test_large_floats_are_for_programs_that_do_not_round(function: str, large: bool) -> None:
    """The interpreter rounds what `exp` is: equal reals could look different."""
    program = parse_text(f"float f(float x) {{ return {function}(x) + 300.0f; }}", "f.c")
    assert (max(candidate_floats(program, program.function("f"))) > 16) == large


@pytest.mark.parametrize(("name", "has_large"), [("float", False), ("double", True)])
def test_only_floats_of_the_type_are_drawn(name: str, has_large: bool) -> None:
    program = parse_text(f"int f({name} x) {{ return (double)x < 0.1 ? 0 : (double)x < 1e39 ? 1 : 2; }}", "f.c")
    t = next(t for t in MACHINE_SCALARS if t.name == name)
    values = values_of(t, [], candidate_floats(program, program.function("f")))
    assert (max(values) > 10**38) == has_large
    assert (Fraction(0.1) in values) == has_large  # the nearest double is no float
