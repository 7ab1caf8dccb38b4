"""Printed programs parse to the same program, also random ones, and have the format of hand-written C."""

from __future__ import annotations

from random import Random

from optigpu.codegen.c import emit_c
from optigpu.frontend import parse_text, recheck
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.exprs import Binary, Cond, Int, Unary, Var
from optigpu.syntax.float_literals import real_text
from optigpu.syntax.printer import print_expr, print_program
from tests.support.programs import ProgramMaker
from tests.support.properties import accepted
from tests.support.running import parse


def prints_back(seed: int) -> bool:
    """Whether a random program is well formed. If so, its printed text parses to the same program."""
    try:
        program = recheck(ProgramMaker(Random(seed)).program())
    except InputError as e:  # a literal that does not fit, a bound the loop changes: not what this test is about
        assert e.diagnostic.code in ("OG103", "OG118", "OG107", "OG114"), e.diagnostic
        return False
    printed = print_program(program)
    parsed = parse_text(printed)
    assert parsed.items == program.items, printed
    assert print_program(parsed) == printed
    assert recheck(program).items == program.items
    return True


def test_random_programs_print_back() -> None:
    assert accepted(prints_back, 300) >= 245


def test_only_needed_parentheses() -> None:
    x, y, z = Var("x"), Var("y"), Var("z")
    assert print_expr(Binary("-", Binary("-", x, y), z)) == "x - y - z"
    assert print_expr(Binary("-", x, Binary("-", y, z))) == "x - (y - z)"
    assert print_expr(Binary("*", Binary("+", x, y), z)) == "(x + y) * z"
    assert print_expr(Binary("+", Binary("*", x, y), z)) == "x * y + z"
    assert print_expr(Unary("-", Unary("-", x))) == "-(-x)"
    assert print_expr(Binary("-", x, Int(-1))) == "x - -1"
    assert print_expr(Cond(Cond(x, y, z), x, y)) == "(x ? y : z) ? x : y"


def test_decimal_literals_are_exact() -> None:
    from fractions import Fraction

    assert real_text(Fraction(1, 10)) == "0.1"
    assert real_text(Fraction(3)) == "3.0"
    assert real_text(Fraction("1e-30")) == "1e-30"
    assert real_text(Fraction("1.5e300")) == "1.5e300"
    assert real_text(Fraction("123456.789")) == "123456.789"


def test_formatting(golden) -> None:
    from tests.conftest import ROOT

    text = """
#include <optigpu.h>
#define TILE (16 * 2)
float f(const float *m, int h, int w, float s) {
  __requires("M: int * int -> float");
  __reads("m ~> Matrix2(h, w, M)");
  float t = 0;
  #pragma omp simd
  for(int i=h-1;i>=0;i--) { if (i>3 && s<0.5f || i==0) t += m[MINDEX2(h,w,i,0)]; else if (i%2) { t -= 1; } else t *= 2.0f; }
  float (*const c)[w] = MALLOC2(float, h, w);
  #pragma omp parallel for
  for (int i = 0; i < h; i += TILE) for (int j = 0; j < min(w, h); ++j) c[i][j] = i + j;
  for (int k = 64; k > 0; k /= 2) { if (k > w) continue; t += k; }
  free(c);
  return t;
}
"""
    program = parse(text)
    golden(ROOT / "tests" / "golden" / "annotated.c", print_program(program))
    golden(ROOT / "tests" / "golden" / "plain.c", emit_c(program))
