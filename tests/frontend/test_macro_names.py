"""Names that are macros of C's or CUDA's headers are refused where they are declared, so that no compiler reads something else."""

from __future__ import annotations

import subprocess

import pytest
from tools.macros import missing

from optigpu.codegen.c import emit_c
from optigpu.frontend import parse_text
from optigpu.runtime.compilers import c_compiler, compile_c
from optigpu.runtime.nvcc import nvcc
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.header_macros import MACROS, is_macro
from optigpu.transform.registry import TransformSession
from tests.support.cuda import on_standin, one_kernel, refused

PLACES = {
    "a parameter": "void f(int n, float NAME[n]) {\n}",
    "a number": "int f(int NAME) {\n  return NAME;\n}",
    "a variable": "int f(void) {\n  int NAME = 3; NAME += 1; return NAME; }",
    "a constant": "int f(void) {\n  const int NAME = 3; return NAME; }",
    "an array": "void f(void) {\n  float NAME[4]; }",
    "an allocation": "void f(int n) {\n  float* const NAME = MALLOC1(float, n); free(NAME); }",
    "an index": "void f(int n) {\n  for (int NAME = 0; NAME < n; NAME++) { } }",
    "a function": "int NAME(int n) { return n; }\n",
    "a device function": "__device__ int NAME(int n) { return n; }\n",
}
LINES = {"a parameter": 1, "a number": 1, "a function": 1, "a device function": 1}


@pytest.mark.parametrize(
    "name", ["NAN", "LINE_MAX", "INT_MAX", "stdin", "linux", "__LINE__", "_OPENMP", "cudaStreamDefault", "CUDART_CB"]
)
@pytest.mark.parametrize("place", PLACES)
def test_a_macro_is_no_name(place: str, name: str) -> None:
    with pytest.raises(InputError) as e:
        parse_text(PLACES[place].replace("NAME", name), "x.c")
    assert e.value.diagnostic.code == "OG101"
    assert (e.value.diagnostic.loc.file, e.value.diagnostic.loc.line) == ("x.c", LINES.get(place, 2))
    assert f"`{name}`" in e.value.diagnostic.message


@pytest.mark.parametrize("place", PLACES)
def test_other_names_are_names(place: str) -> None:
    """Also those that look like macros and are none."""
    program = parse_text(PLACES[place].replace("NAME", "LINE_MAXIMUM"), "x.c")
    if place != "a device function":
        compile_c(emit_c(program))


def test_a_definition_takes_the_place_of_a_macro() -> None:
    text = "#define NAME 3\nint f(void) { float* const p = MALLOC1(float, NAME); free(p); return NAME; }"
    for name in ("NAN", "EXIT_FAILURE", "M_PI", "linux"):
        assert "warning" not in compiled_with_warnings(emit_c(parse_text(text.replace("NAME", name))))
    for name in ("__LINE__", "_OPENMP", "optigpu_bytes", "OPTIGPU_BYTES", "NULL", "setjmp", "omp", "sizeof"):
        with pytest.raises(InputError, match=f"`{name}` is a macro"):
            parse_text(text.replace("NAME", name))


def compiled_with_warnings(text: str) -> str:
    compiler = c_compiler()
    assert compiler is not None
    command = [compiler, "-Wall", "-x", "c", "-S", "-o", "/dev/null", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return done.stderr


def test_formulas_name_what_they_like() -> None:
    """No compiler reads them."""
    text = """void f(int n, float a[n]) {
  __requires("NAN: int -> float");
  __preserves("a ~> Matrix1(n, NAN)");
}"""
    compile_c(emit_c(parse_text(text)))


def test_a_script_gives_no_such_name() -> None:
    text = """void f(int n, float a[n]) {
  __writes("a ~> Matrix1(n, fun i -> 1)");
  for (int i = 0; i < n; i++) a[i] = 1.0f;
}"""
    s = TransformSession(parse_text(text, "x.c"), function="f")
    with pytest.raises(InputError, match="`NAN`"):
        s.loop.tile("i", 4, outer="NAN", tail="guard")
    s.loop.tile("i", 4, outer="NANS", tail="guard")


def test_a_variable_does_not_hide_what_code_calls() -> None:
    text = "float f(float x) { __pure(); float NAME = 1.0f; return max(x, NAME) + expf(x); }"
    for name in ("expf", "fmaxf", "floor"):
        with pytest.raises(InputError, match="is built in"):
            parse_text(text.replace("NAME", name))
    for name in ("max", "min", "abs", "y"):
        compile_c(emit_c(parse_text(text.replace("NAME", name))))


def test_a_variable_of_a_kernel_does_not_hide_what_it_calls() -> None:
    body = """thread for (int b = 0; b < B; b++) {
      thread for (int t = 0; t < 8; t++) { const int NAME = t; d[b][NAME] = max(b, NAME); }
    }"""
    assert refused(one_kernel(body.replace("NAME", "max"))).startswith("OG405: `max`")
    on_standin(one_kernel(body.replace("NAME", "min")), races=False)


@pytest.mark.skipif(nvcc() is None, reason="there is no nvcc")
def test_all_macros_of_the_headers_are_known() -> None:
    """Ask the compilers. If this fails: `python tools/macros.py --write`."""
    assert missing() == []


def test_the_list_is_of_names() -> None:
    assert all(name.isidentifier() and is_macro(name) for name in MACROS)
    assert not any(is_macro(name) for name in ("n", "x", "N", "TILE", "i_max", "min", "cudaSuccess", "_x", "line_max"))
