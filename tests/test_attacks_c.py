"""Attempts to get plain C that does something else than the verified program."""

from __future__ import annotations

import numpy as np
import pytest

from optigpu.codegen.c import emit_c
from optigpu.frontend import parse_text
from optigpu.frontend.shapes import effective_types
from optigpu.runtime.compilers import compile_c
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.errors import BuildError
from optigpu.runtime.signature import signature_of
from optigpu.syntax.errors import InputError

SET = 'void set(float x, float a[1]) { __writes("a ~> Matrix1(1, fun i -> x)"); a[0] = x; }\n'
CALL = 'void f(float x, float a[1]) { __writes("a ~> Matrix1(1, fun i -> x)"); set(x, a); }\n'


def compiled(text: str) -> CFunction:
    program = parse_text(text)
    f = program.function("f")
    return CFunction(emit_c(program), signature_of(f, effective_types(f)))


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
