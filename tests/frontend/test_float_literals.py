"""A float literal denotes the number that C reads: the nearest float with the suffix f, the nearest double without."""

from __future__ import annotations

import struct
import subprocess
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from optigpu.codegen.c import emit_c
from optigpu.frontend import parse_text
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.exprs import Real
from optigpu.syntax.float_literals import literal_text, nearest_float
from optigpu.syntax.printer import print_expr, print_program
from optigpu.syntax.types import DOUBLE, FLOAT
from tests.support.cuda import kernel_text, one_kernel
from tests.support.running import run
from tests.support.verdicts import VERIFIED, verdict_of

A_FLOAT = Fraction(13421773, 2**27)  # nearest to 0.1
A_DOUBLE = Fraction(0.1)


def float_of(x: float) -> Fraction:
    """What the hardware rounds a double to."""
    return Fraction(struct.unpack("<f", struct.pack("<f", x))[0])


@pytest.mark.parametrize("seed", range(40))
def test_nearest_is_what_the_hardware_rounds_to(seed: int) -> None:
    r = Random(seed)
    for _ in range(50):
        x = r.uniform(-2, 2) * 10.0 ** r.randint(-44, 37)
        assert nearest_float(Fraction(x), FLOAT) == float_of(x)
        text = f"{r.uniform(-1, 1):.20f}e{r.randint(-320, 300)}"
        assert nearest_float(Fraction(text), DOUBLE) == Fraction(float(text))


def test_nearest_takes_the_even_one_of_two() -> None:
    assert nearest_float(2**24 + 1, FLOAT) == 2**24
    assert nearest_float(2**24 + 3, FLOAT) == 2**24 + 4
    assert nearest_float(-(2**24) - 3, FLOAT) == -(2**24) - 4
    assert nearest_float(Fraction(3, 2**150), FLOAT) == Fraction(2, 2**149)  # subnormal
    assert nearest_float(0, FLOAT) == 0


@pytest.mark.parametrize("seed", range(20))
def test_the_text_of_a_literal_denotes_its_number_and_is_short(seed: int) -> None:
    r = Random(seed)
    for t in (FLOAT, DOUBLE):
        for _ in range(50):
            value = nearest_float(Fraction(r.uniform(-2, 2) * 10.0 ** r.randint(-40, 37)), t)
            text = literal_text(value, t)
            assert nearest_float(Fraction(text), t) == value
            assert t == FLOAT or float(text) == float(value)
            digits = text.lstrip("-").partition("e")[0].replace(".", "").strip("0")
            assert len(digits) <= (9 if t == FLOAT else 17)
    assert literal_text(A_FLOAT, FLOAT) == "0.1" and literal_text(A_DOUBLE, DOUBLE) == "0.1"
    assert print_expr(Real(A_FLOAT, DOUBLE)) == "0.10000000149011612"


COMPARED = """bool f() {{
  __ensures("_Res == {source}");
  {declaration}
  return {test};
}}
"""
# What C says of each comparison.
COMPARISONS = [
    ("const float x = 0.1f;", "x == 0.1", False),
    ("const float x = 0.1f;", "x == 0.1f", True),
    ("const double x = 0.1;", "x == 0.1", True),
    ("const double x = 0.1f;", "x == 0.1", False),
    ("const float x = 0.1;", "x == 0.1f", True),  # the initial value is rounded to float
    ("const float x = 0.1;", "x == 0.1", False),
    ("const float x = 0.1f;", "x > 0.1", True),
    ("const float x = -0.1;", "x < -0.1", True),
    ("const float x = 0.3f;", "x > 0.3", True),
    ("const float x = 0.7f;", "x < 0.7", True),
    ("const float x = 0.5f;", "x == 0.5", True),
    ("const float x = 16777217;", "x == 16777216.0", True),
    ("const float x = 16777217.0f;", "x == 16777217.0", False),
    ("const double x = 16777217;", "x == 16777216.0", False),
    ("const double x = (float)0.1;", "x == 0.1", False),
]


@pytest.mark.parametrize("case", COMPARISONS, ids=str)
def test_proof_and_interpreter_say_what_c_says(case: tuple[str, str, bool], tmp_path: Path) -> None:
    declaration, test, c_says = case
    right, wrong = (
        COMPARED.format(source=str(b).lower(), declaration=declaration, test=test) for b in (c_says, not c_says)
    )
    assert verdict_of(right) == VERIFIED
    assert verdict_of(wrong) == "OG307 2:14"
    assert run(right)[0] is c_says
    assert parse_text(print_program(parse_text(right, "test.c")), "test.c") == parse_text(right, "test.c")
    source = tmp_path / "f.c"
    source.write_text(emit_c(parse_text(right, "test.c")) + "\nint main(void) { return f(); }\n", encoding="utf-8")
    subprocess.run(["cc", "-o", str(tmp_path / "f"), str(source), "-lm"], check=True)
    assert subprocess.run([str(tmp_path / "f")], check=False).returncode == int(c_says)


def test_a_macro_is_rounded_where_it_is_converted() -> None:
    text = '#define C 0.1\nbool f() {{ __ensures("_Res == {}"); const float x = C; return x == C; }}\n'
    assert verdict_of(text.format("false")) == VERIFIED
    assert verdict_of(text.format("true")) == "OG307 2:23"
    assert run(text.format("false"))[0] is False


SCALED = """void f(int n, float a[n], float b[n]) {{
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, fun i -> {source} * A(i))");
  for (int i = 0; i < n; i++) b[i] = {code} * a[i];
}}
"""


@pytest.mark.parametrize("literal", ["0.1f", "0.1", "1e-5f", "3.0f", "16777216.0f"])
def test_formulas_and_code_read_a_literal_alike(literal: str) -> None:
    assert verdict_of(SCALED.format(source=literal, code=literal)) == VERIFIED


@pytest.mark.parametrize(("source", "code"), [("0.1", "0.1f"), ("0.1f", "0.1"), ("1 /. 10", "0.1f"), ("0.2f", "0.1f")])
def test_literals_of_two_types_are_two_numbers(source: str, code: str) -> None:
    assert verdict_of(SCALED.format(source=source, code=code)) == "OG305 4:13"


def test_numbers_that_both_types_have_are_one() -> None:
    assert verdict_of(SCALED.format(source="0.5", code="0.5f")) == VERIFIED
    assert verdict_of(SCALED.format(source="0.5", code="0.25f")) == "OG305 4:13"


def test_cuda_has_the_literals_of_the_program() -> None:
    body = "thread for (int b = 0; b < B; b++) thread for (int t = 0; t < 8; t++) d[b][t] = 0.1f * d[b][t] + 1e-5f;"
    text = kernel_text(one_kernel(body))
    assert "0.1f" in text and "0.00001f" in text


def test_constants_out_of_range_are_refused() -> None:
    with pytest.raises(InputError) as e:
        parse_text("float f() { return 1e300; }", "test.c")
    assert e.value.diagnostic.code == "OG103"
    assert verdict_of("#define C 1e300\nfloat f() { return C; }") == "OG300 2:20"
