"""Attempts to get plain C that does something else than the verified program."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest

from optigpu.check.verify import Settings, Verifier
from optigpu.codegen.c import emit_c
from optigpu.frontend import parse_text
from optigpu.frontend.parameter_types import effective_types
from optigpu.runtime.call_error import BuildError
from optigpu.runtime.compilers import C_FLAGS, c_compiler, compile_c
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.signature import signature_of
from optigpu.script.targets import Call, For, In
from optigpu.syntax.diagnostic import InputError
from optigpu.transform.registry import TransformSession
from tests.support.compiling import compiled

SET = 'void set(float x, float a[1]) { __writes("a ~> Matrix1(1, fun i -> x)"); a[0] = x; }\n'
CALL = 'void f(float x, float a[1]) { __writes("a ~> Matrix1(1, fun i -> x)"); set(x, a); }\n'


PROTOTYPE = "void set(float x, float a[1]);\n"


@pytest.mark.parametrize("text", [PROTOTYPE + CALL + SET, SET + CALL])
def test_a_function_is_declared_where_it_is_called(text: str) -> None:
    """C passes a float to a function that is not declared as a double."""
    a = np.zeros(1, np.float32)
    compiled(text)(1.5, a)
    assert a[0] == 1.5
    with pytest.raises(BuildError, match="implicit declaration"):
        compile_c("void f(float x) { g(x); }\nvoid g(float x) { (void)x; }\n")


@pytest.mark.parametrize("name", ["index", "crc32", "place"])
def test_a_function_is_called_although_the_process_has_one_of_its_name(name: str) -> None:
    assert compiled(f"int {name}(int i, int j) {{ return 8 * i + j; }} int f(int n) {{ return {name}(n, 1); }}")(1) == 9


def test_functions_and_constants_that_c_has_elsewhere() -> None:
    f = compiled("float f(float x, double y, int n) { return rsqrtf(x) * 2.0f + rsqrt(y) + (INT_MAX - n); }")
    assert f(0.25, 0.0625, 2**31 - 2) == 9


@pytest.mark.parametrize(
    "text",
    [
        "int f(void) { int r = 0; for (int64_t i = 0; i < 3; i++) r += 3; return r; }",
        "#define M ((uint8_t)9)\nint f(void) { return M; }",
        "#define M true\nint f(void) { return M * 9; }",
        "#define M (INT_MAX - 1)\nint f(void) { return M / 200000000 - 1; }",
        "int f(void) { return 8 + true; }",
        "int f(void) { return (int)sizeof(int64_t) + 1; }",
    ],
)
def test_headers_of_what_is_used_in_loops_macros_and_sizes(text: str) -> None:
    assert compiled(text)() == 9


@pytest.mark.parametrize(("name", "known"), [("memset", True), ("memcpy", True), ("set", False)])
def test_functions_that_compilers_call_are_not_redefined(name: str, known: bool) -> None:
    """GCC calls memset for a loop that fills."""
    text = f"float {name}(float x) {{ return x; }}"
    if known:
        with pytest.raises(InputError, match="is built in"):
            parse_text(text)
    else:
        assert f"float {name}(float x)" in emit_c(parse_text(text))


def run_alone(text: str, call: str, folder: Path) -> tuple[int, str]:
    """The exit code and output of a program that calls a verified function, compiled as our libraries are."""
    program = parse_text(text)
    assert Verifier(Settings(unbounded=True)).verify(program).verified
    main = f'int main(void) {{ puts({call} == 2.0 ? "fine" : "wrong"); }}'
    (folder / "x.c").write_text(f"#include <stdio.h>\n{emit_c(program)}\n{main}\n", encoding="utf-8")
    flags = [f for f in C_FLAGS if f != "-shared"]
    subprocess.run([c_compiler() or "cc", *flags, "-o", str(folder / "x"), str(folder / "x.c")], check=True)
    done = subprocess.run([folder / "x"], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("sizes", "stops"),
    [
        ((2, 3, 4), False),
        ((1 << 21, 1 << 21, 1 << 21), True),  # 2^66 bytes, of which 64 bits leave none
        ((1 << 20, 1 << 20, 1 << 4), True),  # 2^47 bytes, which are not there
    ],
)
def test_a_program_stops_where_there_is_no_memory(sizes: tuple[int, int, int], stops: bool, tmp_path: Path) -> None:
    """What it writes then would be somewhere else."""
    text = """double f(int n, int m, int k) {
  __requires("n >= 1, m >= 1, k >= 1");
  __ensures("_Res =. 2.0");
  double* const t = MALLOC3(double, n, m, k);
  t[n - 1][0][0] = 2.0;
  const double x = t[n - 1][0][0];
  free(t);
  return x;
}
"""
    expected = (-signal.SIGABRT, "") if stops else (0, "fine\n")
    assert run_alone(text, f"f{sizes}", tmp_path) == expected
    if max(sizes) != 1 << 20:  # a size that can be counted is a matter of the stack
        local = text.replace("double* const t = MALLOC3(double, n, m, k);", "double t[n][m][k];").replace(
            "free(t);", ""
        )
        assert run_alone(local, f"f{sizes}", tmp_path) == expected


@pytest.mark.parametrize(("n", "stops"), [(1000, False), (1 << 28, True)])
def test_a_program_stops_where_the_stack_is_too_small(n: int, stops: bool, tmp_path: Path) -> None:
    text = """double f(int n, double x[1]) {
  __requires("n >= 1, X: int -> double");
  __consumes("x ~> Matrix1(1, X)");
  __produces("x ~> Matrix1(1, X)");
  __ensures("_Res =. X(0)");
  double t[n];
  for (int i = 0; i < n; i++) t[i] = x[0];
  x[0] = t[n / 2];
  return t[n - 1];
}
"""
    expected = (-signal.SIGABRT, "") if stops else (0, "fine\n")
    assert run_alone(text, f"f({n}, (double[]){{2.0}})", tmp_path) == expected


@pytest.mark.parametrize(
    "value", ["MINDEX2(9, n, i, 1)", "MINDEX1(9, i) * n + 1", "MSIZE2(n, i) + 1", "MSIZE1(n) * i + 1"]
)
def test_sizes_and_indices_have_64_bits(value: str) -> None:
    """As in <optigpu.h>."""
    text = f"""int64_t f(int i, int n) {{
  __requires("i == 100000, n == 100000");
  __ensures("_Res == 10000000001");
  return {value};
}}
"""
    assert Verifier(Settings(unbounded=True)).verify(parse_text(text)).verified
    assert compiled(text)(100000, 100000) == 10000000001


WIDE = """
int64_t g(int64_t x, int n) {
  __requires("x >= 0, n >= 0");
  __ensures("_Res == x * n");
  return x * n;
}
int64_t f(int i, int n) {
  __requires("i >= 0, n >= 0");
  __ensures("_Res == i * n");
  const int64_t y = i;
  const int64_t z = g(y, n);
  return z;
}
void tiles(int64_t n, float a[n]) {
  __requires("n >= 0");
  __writes("a ~> Matrix1(n, fun i -> 1.0)");
  for (int64_t i = 0; i < n; i++) a[i] = 1.0f;
}
"""


def test_a_step_computes_in_no_fewer_bits() -> None:
    """Proofs know no bits: nothing else would notice."""
    s = TransformSession(parse_text(WIDE), verifier=Verifier(Settings(unbounded=True)))
    s.function.inline(Call("g"))
    s.variable.inline("y")
    s.variable.inline("z")
    f = s.program.function("f")
    made = CFunction(emit_c(s.program), signature_of(f, effective_types(f)))
    assert made(100000, 100000) == 10_000_000_000
    s.loop.tile(In("tiles") / For("i"), 8, outer="b", tail="guard")
    assert "for (int64_t b = 0; " in emit_c(s.program)


@pytest.mark.parametrize(
    ("sizes", "head"), [("n, 4", "int64_t t = 0; t < (int64_t)n * 4;"), ("2, 4", "int t = 0; t < 8;")]
)
def test_one_loop_of_two_counts_in_the_bits_of_both(sizes: str, head: str) -> None:
    """`n * m` may be more than an `int` although n and m are none."""
    n, m = sizes.split(", ")
    text = f"""void f(int n, uint8_t a[{n}][{m}]) {{
  __requires("n >= 0");
  __writes("a ~> Matrix2({n}, {m}, fun i j -> 1)");
  for (int i = 0; i < {n}; i++)
    for (int j = 0; j < {m}; j++) a[i][j] = 1;
}}
"""
    s = TransformSession(parse_text(text))
    s.loop.collapse("i", index="t")
    assert f"for ({head} t++)" in emit_c(s.program)
