"""`half`, `bf16` and `tf32` as types and as names; <optigpu.h> for ordinary compilers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import optigpu as og
from optigpu.frontend import parse_text
from optigpu.frontend.stored_float_names import TOKENS, readable, with_stored_floats
from optigpu.runtime.compilers import c_compiler
from optigpu.runtime.standin import cxx_compiler
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.exprs import Array, Cast
from optigpu.syntax.printer import print_program
from optigpu.syntax.program import Decl
from optigpu.syntax.types import BF16, FLOAT, HALF, TF32, Pointer
from optigpu.syntax.walk import body_subexpressions, statements
from tests.conftest import ROOT

INCLUDE = ROOT / "src" / "optigpu" / "frontend" / "include"
AS_TYPES = """#include <optigpu.h>
/* half = 3; int half */
half twice(half x) { return 2 * x; }  // half + 1
void f(int n, const half a[n], half* const b, half (*c)[4], half s) {
  __requires("A: int -> half, n > sizeof(half)");
  __admitted();
  half t[4];
  const half u = (half)s, v = (half)(2 * s);
  half* const p = MALLOC1(half, n);
  half* const q = (half*)malloc(n * sizeof(half));
  b[0] = twice((half)1);
  free(q);
  free(p);
}
"""
AS_NAMES = (
    "int half = 3; x[0] = half;",
    "for (int half = n; half > 0; half >>= 1) { x[0] += half; }",
    "const float half = 0.5f; x[0] = (half) * x[0];",
    "float half[2]; half[0] = 1.0f; x[0] = half[0];",
    "float a = 1, half; half = a; x[0] = half;",
)


@pytest.mark.parametrize("name", TOKENS)
def test_they_are_types_wherever_c_has_types(name: str) -> None:
    program = parse_text(AS_TYPES.replace("half", name))
    t = next(t for t in (HALF, BF16, TF32) if t.name == name)
    f = program.function("f")
    assert [p.type.elem for p in f.params if isinstance(p.type, Array | Pointer)] == [t] * 3
    assert f.params[-1].type == t and program.function("twice").result == t
    assert {s.type for s in statements(f.body) if isinstance(s, Decl) and s.name in "uv"} == {t}
    assert parse_text(print_program(program)) == program


@pytest.mark.parametrize("name", TOKENS)
@pytest.mark.parametrize("code", AS_NAMES)
def test_they_are_names_of_programs_that_use_them_so(name: str, code: str) -> None:
    text = f'void f(int n, float x[n]) {{ __requires("n > 0"); __preserves("x ~> Cells1(n)"); {code} }}'
    program = parse_text(text.replace("half", name))
    assert parse_text(print_program(program)) == program and with_stored_floats(text.replace("half", name)).count(name)


def test_parameters_and_formulas_have_such_names_too() -> None:
    text = """float f(int n, int half, float bf16) {
  __requires("tf32: int, A: int -> float, tf32 == half + 1");
  __ensures("_Res == bf16 + half");
  return bf16 + half;
}"""
    assert print_program(parse_text(text)) == print_program(parse_text(print_program(parse_text(text))))


def test_nothing_but_these_types_changes_in_a_text() -> None:
    marked = with_stored_floats(AS_TYPES)
    assert len(marked) == len(AS_TYPES) and readable(marked) == AS_TYPES
    for line, other in zip(AS_TYPES.split("\n"), marked.split("\n")):
        assert len(line) == len(other)
    pragma, loop = with_stored_floats("#pragma tensor_cores tf32\nfor (tf32 x = 0; ;) {}").split("\n")
    assert pragma == "#pragma tensor_cores tf32" and "tf32" not in loop
    assert with_stored_floats("float x = halfway + my_half + half_;") == "float x = halfway + my_half + half_;"


def test_a_program_has_either_the_type_or_the_name() -> None:
    texts = ("half x[1]) { int half = 3;", "int half) { half x = 1;", "int half) { const half y = 1;")
    for text in texts:
        with pytest.raises(InputError, match="`half` is a name in this program, so it is no type") as e:
            parse_text(f"void f({text} }}")
        assert e.value.diagnostic.code == "OG001"
    with pytest.raises(InputError, match="declares the type `half`") as e:
        parse_text("float half(float x) { return x; }")
    assert e.value.diagnostic.code == "OG101"


def test_a_script_cannot_give_the_name_of_a_type_that_is_used(tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    path.write_text(
        """#include <optigpu.h>
void f(int n, half x[n]) {
  __writes("x ~> Matrix1(n, fun i -> 1)");
  for (int i = 0; i < n; i++) x[i] = 1.0f;
}"""
    )
    s = og.Script(path)
    with pytest.raises(InputError, match="`half` is the type of other numbers in this program"):
        s.loop.rename("i", "half")
    s.loop.rename("i", "bf16")
    assert "int bf16 = 0" in print_program(s.program)


def test_syntax_errors_name_the_type_as_it_is_written() -> None:
    with pytest.raises(InputError, match="`half`") as e:
        parse_text("void f(int n) { n = 2 half; }")
    assert "\\ue" not in ascii(e.value.diagnostic.message)


def test_conversions_between_other_types_go_through_float() -> None:
    program = parse_text(
        "#include <optigpu.h>\nint f(double d, half h) { half x = d; bf16 y = x; return (int)y + (int)h; }"
    )
    casts = [(e.arg.type, e.to) for e in body_subexpressions(program.function("f").body) if isinstance(e, Cast)]
    assert len(casts) >= 6 and all(FLOAT in pair for pair in casts)


def test_arithmetic_has_the_type_float() -> None:
    code = "float x = h * h; float y = -b; double z = t + d;"
    program = parse_text(f"#include <optigpu.h>\nvoid f(half h, bf16 b, tf32 t, double d) {{ {code} }}")
    inits = [s.init for s in statements(program.function("f").body) if isinstance(s, Decl)]
    assert [e.type.name for e in inits if e is not None] == ["float", "float", "double"]


PROGRAM = """#include <optigpu.h>
float g(int n, half h[2], bf16 b, tf32 t) { int half = n; return sqrtf(h[0]) + b * half + t; }
int main(void) {
  half h[2] = {4, 1};
  return g(1, h, 2, 3) == 7 && sizeof(tf32) == 4 && sizeof(half) == HALF && (sizeof(bf16) == 2 || sizeof(bf16) == 4) ? 0 : 1;
}
"""


@pytest.mark.skipif(c_compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("known", [True, False], ids=["as the compiler has them", "as floats"])
def test_ordinary_compilers_read_the_types(tmp_path: Path, known: bool) -> None:
    compiler = str(c_compiler())
    macros = subprocess.run(
        [compiler, "-dM", "-E", "-xc", "/dev/null"], check=True, capture_output=True, text=True
    ).stdout
    size = 2 if known and "__FLT16_MANT_DIG__" in macros else 4
    hidden = [] if known else ["-U__FLT16_MANT_DIG__", "-U__BFLT16_MANT_DIG__"]
    (tmp_path / "p.c").write_text(PROGRAM.replace("HALF", str(size)))
    out = tmp_path / "p"
    flags = ["-std=c11", "-Wall", "-Werror", f"-I{INCLUDE}", *hidden]
    subprocess.run([compiler, *flags, "-o", str(out), str(tmp_path / "p.c"), "-lm"], check=True)
    assert subprocess.run([str(out)], check=False).returncode == 0


@pytest.mark.skipif(cxx_compiler() is None, reason="there is no C++ compiler")
def test_cpp_compilers_read_the_header(tmp_path: Path) -> None:
    (tmp_path / "p.cpp").write_text("#include <optigpu.h>\nhalf h; bf16 b; tf32 t;\n")
    subprocess.run([str(cxx_compiler()), "-fsyntax-only", "-w", f"-I{INCLUDE}", str(tmp_path / "p.cpp")], check=True)
