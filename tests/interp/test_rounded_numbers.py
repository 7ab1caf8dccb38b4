"""Runs round numbers of types that are only stored, and know how far these are from numbers without rounding."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optigpu.frontend import parse_text
from optigpu.interp import testing
from optigpu.interp.input_generator import InputGenerator
from optigpu.interp.numeric_values import REAL_OPERATIONS, close, convert
from optigpu.interp.rounded_numbers import Number, Rounded, error_of, extreme, is_open, plain, stored
from optigpu.interp.runner import Runner
from optigpu.syntax.source import NOWHERE
from optigpu.syntax.types import BF16, DOUBLE, FLOAT, HALF, TF32, Scalar
from tests.support.stored_floats import interesting_floats, rounded

TYPES = {"half": HALF, "bf16": BF16, "tf32": TF32}
stored_types = st.sampled_from([HALF, BF16, TF32])
fractions = st.fractions(min_value=-50, max_value=50, max_denominator=1000)


@pytest.mark.parametrize("name", TYPES)
def test_conversions_round_to_the_nearest(name: str) -> None:
    floats = interesting_floats(name, seed=5, count=2000)
    for x, want in zip(floats.tolist(), rounded(name, floats).tolist()):
        have = stored(x if not math.isfinite(x) else Fraction(x), TYPES[name])
        assert (math.isnan(want) and math.isnan(float(have))) or float(have) == want
        assert (error_of(have) == 0) == (want == x or not math.isfinite(x))


@given(fractions, stored_types)
def test_the_error_of_a_conversion_is_what_it_changed(x: Fraction, t: Scalar) -> None:
    y = stored(x, t)
    assert math.isclose(error_of(y), float(abs(Fraction(plain(y)) - x)), abs_tol=0.0)
    assert stored(y, t) == y and error_of(stored(y, t)) == error_of(y), "a number of the type stays the same"


def test_conversions_to_float_and_double_keep_the_number() -> None:
    third = Fraction(1, 3)
    assert convert(third, FLOAT, NOWHERE) is third and convert(third, DOUBLE, NOWHERE) is third
    assert isinstance(convert(third, HALF, NOWHERE), Rounded) and convert(2, HALF, NOWHERE) == 2


def test_what_is_too_large_becomes_infinite() -> None:
    for x in (65520, 10**9, -65520):
        y = stored(x, HALF)
        assert plain(y) == math.copysign(math.inf, x) and math.isinf(error_of(y))
    assert plain(stored(Fraction(65519), HALF)) == 65504
    assert stored(math.inf, BF16) == math.inf and error_of(stored(math.inf, BF16)) == 0


OPERATIONS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "max": lambda a, b: extreme(max, (a, b)),
    "min": lambda a, b: extreme(min, (a, b)),
    "fma": lambda a, b: REAL_OPERATIONS["fma"](a, b, a),
    "floor": lambda a, b: REAL_OPERATIONS["floor"](a) + b,
    "sqrt": lambda a, b: REAL_OPERATIONS["sqrt"](abs(a)) - b,
    "exp": lambda a, b: REAL_OPERATIONS["exp"](a / 64) * b,
    "neg": lambda a, b: -a - b,
}


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_number_is_not_farther_from_the_exact_one_than_its_error(data: st.DataObject) -> None:
    """Random computations, with conversions at random places, beside the same without any rounding."""
    exact: list[Number] = [data.draw(fractions) for _ in range(3)]
    have: list[Number] = list(exact)
    for _ in range(data.draw(st.integers(1, 12))):
        op = data.draw(st.sampled_from([*OPERATIONS, "store", "store", "store"]))
        i, j = data.draw(st.integers(0, len(exact) - 1)), data.draw(st.integers(0, len(exact) - 1))
        if op == "store":
            have.append(stored(have[i], data.draw(stored_types)))
            exact.append(exact[i])
        elif op == "/" and (plain(have[j]) == 0 or exact[j] == 0):
            continue
        else:
            try:
                have.append(OPERATIONS[op](have[i], have[j]))
                exact.append(OPERATIONS[op](exact[i], exact[j]))
            except OverflowError:
                break
        assert close(have[-1], exact[-1])
        distance = abs(float(have[-1]) - float(exact[-1]))
        if math.isfinite(error_of(have[-1])):
            assert distance <= error_of(have[-1]) * (1 + 1e-6) + 1e-9 * (1 + abs(float(exact[-1])))


def test_numbers_without_rounding_are_compared_as_before() -> None:
    third, other = Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**12)
    assert not close(third, other) and close(float(third), other)
    assert not is_open(third, other) and is_open(stored(third, HALF), third)


def test_a_rounded_number_agrees_within_its_error_only() -> None:
    x = stored(Fraction(1, 3), BF16)  # 85.5 / 256
    assert close(x, Fraction(1, 3)) and close(x, plain(x)) and not close(x, Fraction(33, 100))
    assert not is_open(x, Fraction(1, 2)) and x < Fraction(1, 2) and x != Fraction(1, 3) and x == plain(x)


SCALE = """#include <optigpu.h>
void scale(int n, TYPE x[n], TYPE y[n], float w) {
  __requires("X: int -> float, Y: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __consumes("y ~> Matrix1(n, Y)");
  __produces("y ~> Matrix1(n, fun i -> X(i) / 3 * w + Y(i))");
  for (int i = 0; i < n; i++) {
    TYPE third = x[i] / 3.0f;
    y[i] = third * w + y[i];
  }
}
"""
WRONG = {  # how much a factor must be off to be seen
    "half": ("3.0f", "2.98f"),
    "bf16": ("3.0f", "2.97f"),
    "tf32": ("3.0f", "2.98f"),
}


def report(text: str, name: str | None = None) -> testing.TestReport:
    program = parse_text(text)
    f = program.functions()[-1] if name is None else program.function(name)
    return testing.test_function(Runner(program), f, seconds=3)


@pytest.mark.parametrize("name", TYPES)
def test_right_programs_pass_and_wrong_ones_fail(name: str) -> None:
    text = SCALE.replace("TYPE", name)
    right = report(text)
    assert right.failure is None and right.runs > 30
    assert not right.skipped or name == "half", "numbers of half are soon too large"
    for wrong in (
        text.replace(*WRONG[name]),
        text.replace(" + y[i]", ""),
        text.replace("third * w", "third * x[i]"),
        text.replace("third * w", "-third * w"),
    ):
        failure = report(wrong).failure
        assert failure is not None and failure.misbehaviour.code == "OG212", wrong


def test_a_message_says_how_exact_a_number_is() -> None:
    failure = report(SCALE.replace("TYPE", "bf16").replace("3.0f", "2.5f")).failure
    assert failure is not None
    assert " ± " in failure.misbehaviour.message and "should be" in failure.misbehaviour.message


LIMIT = """#include <optigpu.h>
int count(int n, float x[n]) {
  __requires("X: int -> float, n >= 0");
  __reads("x ~> Matrix1(n, X)");
  __ensures("_Res == Sum(i in 0..n, X(i) / 3 + X(i) / 3 + X(i) / 3 >= X(i) ? 1 : 0)");
  int c = 0;
  for (int i = 0; i < n; i++) {
    const bf16 third = x[i] / 3.0f;
    if (third + third + third >= x[i]) c += 1;
  }
  return c;
}
"""


def test_what_rounding_decides_is_left_open() -> None:
    """Rounded down, three thirds of a number are less than it: the reals disagree with the machine, and no one is wrong."""
    result = report(LIMIT)
    assert result.failure is None and [why for why in result.skipped.values() if "rounding may have decided" in why]
    wrong = report(LIMIT.replace("c += 1", "c += 2"))
    assert wrong.failure is not None, "comparisons that rounding does not decide are not left open"


def test_numbers_that_became_infinite_are_not_compared() -> None:
    text = """#include <optigpu.h>
void square(half x[1], half y[1]) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1(1, X)");
  __writes("y ~> Matrix1(1, fun i -> X(i) * X(i) * 4096)");
  y[0] = x[0] * x[0] * 4096.0f;
}
"""
    result = report(text)
    assert result.failure is None and any("too large for `half`" in why for why in result.skipped.values())
    assert report(text.replace("x[0] * x[0] * 4096.0f", "x[0] * x[0] * 4000.0f")).failure is not None


def test_inputs_are_numbers_of_their_type() -> None:
    text = SCALE.replace("TYPE", "half").replace("__requires(", '__requires("w != 100000 && w != 0.1f"); __requires(')
    program = parse_text(text)
    wide = InputGenerator(Runner(program), program.function("scale"), 1).widened(2)
    drawn = [wide.fill({"n": 4}, attempt) for attempt in range(60)]
    seen = {x for inputs in drawn if inputs is not None for x in inputs.arrays["x"]}
    assert len(seen) > 10 and all(error_of(stored(x, HALF)) == 0 for x in seen)
    assert all(abs(x) <= 65504 for x in seen) and np.isfinite([float(x) for x in seen]).all()


def test_stated_contents_are_rounded_to_the_type_of_their_cells() -> None:
    text = """#include <optigpu.h>
void f(half x[2], float y[1]) {
  __reads("for i in 0..2 -> &x[i] ~~> 0.1f");
  __writes("y ~> Matrix1(1, fun i -> 0.2f)");
  y[0] = x[0] + x[1];
}
"""
    assert report(text).runs > 0 and report(text).failure is None
    assert report(text.replace("x[0] + x[1]", "x[0]")).failure is not None
