"""Mathematical functions: what they are in proofs, where they have a value, and what code computes."""

from __future__ import annotations

import math
import subprocess
from pathlib import Path

import numpy as np
import pytest

from optigpu.check.verify import Verifier
from optigpu.codegen.c import emit_c
from optigpu.codegen.cuda import emit_cuda
from optigpu.frontend import parse_text
from optigpu.frontend.parameter_types import effective_types
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.nvcc import nvcc
from optigpu.runtime.signature import signature_of
from optigpu.syntax.builtins import MATH, MORE_REAL_FUNCTIONS, REAL_FUNCTIONS
from optigpu.syntax.diagnostic import InputError
from tests.support.cuda import on_standin
from tests.support.running import run

NAMES = sorted(REAL_FUNCTIONS | MORE_REAL_FUNCTIONS)
WITHIN_ONE = ("asin", "acos")


def scalar(code: str, requires: str, ensures: str, t: str = "float", params: str = "x, y") -> str:
    of = ", ".join(f"{t} {p}" for p in params.split(", "))
    return f"""#include <optigpu.h>
{t} f({of}) {{ {f'__requires("{requires}");' if requires else ""} __ensures("_Res =. {ensures}"); return {code}; }}
"""


def verified(text: str) -> bool:
    return Verifier().verify(parse_text(text)).verified


@pytest.mark.parametrize(
    ("code", "requires", "value"),
    [
        ("expm1f(x)", "", "exp(x) -. 1"),
        ("log1pf(x)", "x >. -1", "log(1 +. x)"),
        ("erfcf(x)", "", "1 -. erf(x)"),
        ("sinhf(x) + coshf(x)", "", "exp(x)"),
        ("hypotf(x, y)", "x *. x +. y *. y >=. 0", "sqrt(x *. x +. y *. y)"),
        ("rsqrtf(x)", "x >. 0, sqrt(x) >. 0", "1 /. sqrt(x)"),
        ("truncf(x)", "", "(int)x"),
        ("copysignf(x, y)", "x >=. 0, y <. 0", "0 -. x"),
        ("fmodf(x, y)", "y >. 0", "x -. y *. trunc(x /. y)"),
        ("atan2f(x, y)", "", "atan2(x, y)"),
        ("cbrtf(x) + tanf(y)", "", "tan(y) +. cbrt(x)"),
        ("roundf(x) + rintf(y)", "", "round(x) +. rint(y)"),
    ],
)
def test_functions_are_what_they_are_defined_as(code: str, requires: str, value: str) -> None:
    assert verified(scalar(code, requires, value))
    assert not verified(scalar(code, requires, f"{value} +. 1"))


def test_sign_of_a_zero_is_not_known() -> None:
    assert verified(scalar("copysignf(x, y)", "y >. 0", "fabs(x)"))
    assert not verified(scalar("copysignf(x, y)", "y >=. 0", "fabs(x)"))
    assert not verified(scalar("copysignf(x, -0.0f)", "", "fabs(x)"))


@pytest.mark.parametrize(
    ("code", "enough", "too_little"),
    [
        ("log1pf(x)", "x >. -1", "x >=. -1"),
        ("log10f(x)", "x >. 0", "x >=. 0"),
        ("asinf(x)", "x >=. -1, x <=. 1", "x <=. 1"),
        ("acosf(x)", "x >=. -1, x <=. 1", "x >=. -1"),
        ("fmodf(y, x)", "x >. 1", "x >=. 0"),
        ("rsqrtf(x)", "x >. 0", "x >=. 0"),
    ],
)
def test_functions_have_values_where_they_are_defined(code: str, enough: str, too_little: str) -> None:
    real = code.replace("f(", "(")
    assert verified(scalar(code, enough, real))
    result = Verifier().verify(parse_text(scalar(code, too_little, real)))
    problem = result.functions[0].problem
    assert problem is not None
    assert (problem.code, problem.loc.line) == ("OG361", 2)


@pytest.mark.parametrize("name", ["tanh", "erf", "sin", "cos"])
def test_some_functions_are_between_minus_one_and_one(name: str) -> None:
    text = f"""#include <optigpu.h>
float f(float x) {{ __ensures("_Res >=. 1, _Res <=. 3"); return {name}f(x) + 2.0f; }}
"""
    assert verified(text)
    assert not verified(text.replace("<=. 3", "<=. 2"))


def reference(name: str, x: float, y: float) -> float:
    known = {
        "exp2": lambda: 2**x,
        "rsqrt": lambda: 1 / math.sqrt(x),
        "fma": lambda: x * y + x,
        "fmax": lambda: max(x, y),
        "fmin": lambda: min(x, y),
        "round": lambda: math.floor(x + 0.5),
        "rint": lambda: float(round(x)),
    }
    arity = (REAL_FUNCTIONS | MORE_REAL_FUNCTIONS)[name]
    return known[name]() if name in known else getattr(math, name)(*(x, y)[:arity])


def call(name: str) -> str:
    return f"{name}({', '.join(('x', 'y', 'x')[: MATH[name].arity])})"


@pytest.mark.parametrize("name", NAMES)
def test_c_and_the_interpreter_compute_them(name: str) -> None:
    for spelling, t in ((name, "double"), (name + "f", "float")):
        program = parse_text(f"#include <optigpu.h>\n{t} f({t} x, {t} y) {{ return {call(spelling)}; }}")
        f = program.function("f")
        compiled = CFunction(emit_c(program), signature_of(f, effective_types(f)))
        for x, y in ((0.625, 2.5), (0.875, 0.25)):
            want = reference(name, x, y)
            assert compiled(x, y) == pytest.approx(want, rel=1e-5)
            text = f"#include <optigpu.h>\n{t} f({t} x, {t} y) {{ return {call(spelling)}; }}"
            assert float(run(text, x, y)[0]) == pytest.approx(want, rel=1e-9)


def kernel() -> str:
    names = [s for n in NAMES for s in (n, n + "f")]
    stores = " ".join(f"if (t == {i}) d[t] = {call(s)};" for i, s in enumerate(names))
    n = len(names)
    return f"""#include <optigpu.h>
void f(double x, double y, double out[{n}]) {{
  __writes("out ~> Cells1({n})");
  double* const d = __gmem_malloc1<double>({n});
  kernel_launch(1, {n}, 0);
  kernel_setup_end();
  thread for (int t = 0; t < {n}; t++) {{ {stores} }}
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(out, d, {n});
  gmem_free(d);
}}
""".replace("f(x", "f((float)x").replace(", y)", ", y)")


def test_kernels_compute_them(tmp_path: Path) -> None:
    program = parse_text(kernel())
    out = np.zeros(2 * len(NAMES))
    on_standin(program)(0.625, 2.5, out)
    want = [reference(n, 0.625, 2.5) for n in NAMES for _ in range(2)]
    assert out == pytest.approx(want, rel=1e-5)
    if nvcc() is None:
        pytest.skip("nvcc is not installed")
    source = tmp_path / "f.cu"
    source.write_text(emit_cuda(program).text)
    flags = ("-std=c++17", "-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra", "-cubin", "-arch=sm_90")
    subprocess.run([str(nvcc()), *flags, "-o", str(tmp_path / "f.cubin"), str(source)], check=True)


def test_variables_may_have_their_names_but_then_hide_them() -> None:
    text = "#include <optigpu.h>\nint f(int n) { int round = 0; round += 1; return round; }"
    assert verified(text)
    with pytest.raises(InputError, match="hides the function") as refused:
        parse_text(
            "#include <optigpu.h>\nfloat f(float x) { float round = 0.0f;\n  return round + roundf(x) + (float)round(x); }"
        )
    assert (refused.value.diagnostic.code, refused.value.diagnostic.loc.line) == ("OG101", 3)
