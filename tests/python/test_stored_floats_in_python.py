"""`og.f16`, `og.bf16` and `og.tf32`: numbers that are read as `og.f32`, and rounded where they are stored, passed or returned."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import optigpu as og
from optigpu.frontend import parse_text
from optigpu.runtime.stored_floats import dtype_of
from optigpu.syntax.float_literals import nearest_float
from optigpu.syntax.printer import print_program
from optigpu.syntax.types import BF16, HALF, TF32
from tests.support.python_programs import program_of_text, python_program, refusal

TYPES = {"f16": HALF, "bf16": BF16, "tf32": TF32}
DTYPES = {"f16": "float16", "bf16": "bfloat16", "tf32": "float32"}
MIXED = """
@og.program
@og.requires("X: int -> float, Y: int -> float")
@og.reads("x ~> Matrix1(n, X)")
@og.consumes("y ~> Matrix1(n, Y)")
@og.produces("y ~> Matrix1(n, fun i -> Y(i) * s + X(i) * X(i) / 3)")
def f(s: og.TYPE, x: og.TYPE[n], y: og.TYPE[n]) -> og.TYPE:
    for i in range(n):
        t = x[i] * x[i] / 3
        y[i] *= s
        y[i] += og.TYPE(t)
    return s + 0.1
"""


@pytest.mark.parametrize("name", TYPES)
def test_they_become_the_types_of_c(name: str, tmp_path: Path) -> None:
    own = TYPES[name].name
    c = f"""#include <optigpu.h>
{own} f(int n, {own} s, {own} x[n], {own} y[n]) {{
  __requires("X: int -> float, Y: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __consumes("y ~> Matrix1(n, Y)");
  __produces("y ~> Matrix1(n, fun i -> Y(i) * s + X(i) * X(i) / 3)");
  for (int i = 0; i < n; i++) {{ const float t = x[i] * x[i] / 3; y[i] *= s; y[i] += ({own})t; }}
  return s + 0.1f;
}}"""
    assert print_program(program_of_text(MIXED.replace("TYPE", name), tmp_path)) == print_program(parse_text(c))


@pytest.mark.parametrize("name", TYPES)
def test_python_itself_rounds_as_compiled_code_does(name: str, tmp_path: Path) -> None:
    if name == "bf16":
        pytest.importorskip("ml_dtypes")
    f = python_program(MIXED.replace("TYPE", name), tmp_path)
    rng = np.random.default_rng(4)
    x, y = ((8 * rng.standard_normal(200)).astype(dtype_of(DTYPES[name])) for _ in range(2))
    if name == "tf32":
        x, y = (np.array([og.tf32(v) for v in z]) for z in (x, y))
    other = y.copy()
    results = f(0.3, x, y), f.python(0.3, x, other)
    assert np.array_equal(y, other) and results[0] == results[1]
    assert results[0] == float(
        nearest_float(Fraction(float(np.float32(getattr(og, name)(0.3)) + np.float32(0.1))), TYPES[name])
    )


def test_arrays_of_programs_round_too(tmp_path: Path) -> None:
    text = """
@og.program
@og.requires("X: int -> float")
@og.reads("x ~> Matrix1(n, X)")
@og.writes("y ~> Matrix1(n, fun i -> X(i) / 3)")
def f(x: og.f32[n], y: og.f32[n]):
    t = og.empty(og.TYPE[n])
    for i in range(n):
        t[i] = x[i] / 3
    for i in range(n):
        y[i] = t[i]
"""
    x = np.linspace(0.1, 5, 50).astype(np.float32)
    for name in ("f16", "tf32"):
        f = python_program(text.replace("TYPE", name), tmp_path)
        y, other = np.zeros_like(x), np.zeros_like(x)
        f(x, y)
        f.python(x, other)
        assert np.array_equal(y, other) and not np.array_equal(y, x / 3)


@pytest.mark.parametrize("name", TYPES)
def test_conversions_in_python_round(name: str) -> None:
    convert = getattr(og, name)
    assert convert(1 / 3) == float(nearest_float(Fraction(float(np.float32(1 / 3))), TYPES[name]))
    assert type(convert(2)) is np.float32 and convert(2) == 2 and np.isnan(convert(float("nan")))
    assert convert(1e39) == np.inf and (convert(1e5) == np.inf) == (name == "f16")


# (body, code, what is marked, a part of the help or of the message)
REFUSED = [
    ("y: og.f16 = x[0]", "OG016", "og.f16", "og.f16(…)"),
    ("x[0] = 70000.0", "OG103", "70000.0", "out of the range of `half`"),
    ("return s", "OG113", "return s", "og.f32"),
    ("x[0] = s > 0.0", "OG102", "s > 0.0", "`half`"),
]


@pytest.mark.parametrize("body, code, marked, part", REFUSED)
def test_what_is_refused(body: str, code: str, marked: str, part: str, tmp_path: Path) -> None:
    text = f"@og.program\ndef f(s: og.f16, x: og.f16[n]):\n    {body}\n"
    found = refusal(text, tmp_path)
    d = found[3]
    assert found[:3] == (code, 3, marked) and part in f"{d.message} {d.help}"


def test_without_ml_dtypes_python_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ml_dtypes", None)
    with pytest.raises(ImportError, match="install ml_dtypes"):
        og.zeros(og.bf16[3])
