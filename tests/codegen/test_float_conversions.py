"""Floats as integers in emitted code: one that does not fit is undefined in C, and an unspecified integer in the program."""

from __future__ import annotations

import math

import numpy as np
import pytest

from optigpu.codegen.c import emit_c
from optigpu.codegen.cuda import emit_cuda
from optigpu.frontend import parse_text
from optigpu.frontend.parameter_types import effective_types
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.signature import signature_of
from optigpu.syntax.types import SCALAR_NAMES
from tests.support.cuda import on_standin
from tests.support.running import run

INTEGERS = ("int8_t", "uint8_t", "int16_t", "uint16_t", "int", "unsigned", "int64_t", "uint64_t")
FLOATS = ("float", "double")
ODD = (math.nan, math.inf, -math.inf, 1e30, -1e30)
INCLUDE = "#include <optigpu.h>\n"


def in_c(to: str, have: str) -> CFunction:
    program = parse_text(f"{INCLUDE}{to} f({have} x) {{ return ({to})x; }}")
    f = program.function("f")
    return CFunction(emit_c(program), signature_of(f, effective_types(f)))


def kernel(to: str, have: str) -> str:
    return f"""{INCLUDE}void f({have} x, {to} b[32]) {{
  {to}* const d = __gmem_malloc1<{to}>(32);
  kernel_launch(1, 32, 0);
  kernel_setup_end();
  thread for (int t = 0; t < 32; t++) d[t] = ({to})x;
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(b, d, 32);
  gmem_free(d);
}}
"""


def fitting(to: str) -> list[float]:
    """Floats near the ends of the type, and others."""
    t = SCALAR_NAMES[to]
    ends = [float(np.float32(x)) for x in (t.low, t.high)]
    ends += [float(np.nextafter(np.float32(x), np.float32(0))) for x in ends]
    return [x for x in (*ends, 0.0, 0.9, -0.9, 99.5) if t.low <= math.trunc(x) <= t.high]


@pytest.mark.parametrize("have", FLOATS)
@pytest.mark.parametrize("to", INTEGERS)
def test_in_c(to: str, have: str) -> None:
    f = in_c(to, have)
    assert [f(x) for x in fitting(to)] == [math.trunc(x) for x in fitting(to)]
    t = SCALAR_NAMES[to]
    beyond = [*ODD, float(2**t.bits), t.low * 4.0 - 4]
    assert [f(x) for x in beyond] == [0] * len(beyond)


@pytest.mark.parametrize("have", FLOATS)
@pytest.mark.parametrize("to", INTEGERS)
def test_in_kernels(to: str, have: str) -> None:
    f, out = on_standin(kernel(to, have)), np.zeros(32, {"int": "i4", "unsigned": "u4"}.get(to, to.removesuffix("_t")))
    for x in fitting(to):
        f(x, out)
        assert (out == math.trunc(x)).all(), x
    f(math.nan, out)  # some number


def test_kernels_use_the_instructions_of_cuda() -> None:
    """A cast would leave the compiler free to take anything for the result."""
    assert "d[t] = __float2int_rz(x);" in emit_cuda(parse_text(kernel("int", "float"))).text
    assert "d[t] = __double2ull_rz(x);" in emit_cuda(parse_text(kernel("uint64_t", "double"))).text
    assert "d[t] = (uint8_t)__float2int_rz(x);" in emit_cuda(parse_text(kernel("uint8_t", "float"))).text


def test_host_code_of_kernels() -> None:
    text = kernel("int", "float").replace("(int)x", "n").replace("  int*", "  const int n = (int)x;\n  int*")
    f, out = on_standin(text), np.zeros(32, np.int32)
    for x, n in ((7.9, 7), (-7.9, -7), (1e30, 0), (math.nan, 0)):
        f(x, out)
        assert (out == n).all()


@pytest.mark.parametrize("to", ["int", "int64_t"])
def test_the_interpreter_takes_the_number_of_emitted_c(to: str) -> None:
    for x in (*ODD, 5.5):
        assert run(f"{INCLUDE}{to} f(float x) {{ return ({to})x; }}", x)[0] == (5 if x == 5.5 else 0)
