"""Attempts to get a program verified that does something else in C: scopes, sizes, macros, conversions, order of evaluation.

Each program is right as it stands, and wrong by one replacement.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import pytest

import optigpu as og
from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_file, parse_text
from optigpu.syntax.diagnostic import InputError


@dataclass(frozen=True)
class Attack:
    name: str
    text: str
    wrong: tuple[tuple[str, str], ...]


def returns(
    name: str, value: str, body: str, *wrong: tuple[str, str], params: str = "int x", needs: str = ""
) -> Attack:
    """A function with one result."""
    requires = f'  __requires("{needs}");\n' if needs else ""
    text = f'#include <optigpu.h>\nint f({params}) {{\n{requires}  __ensures("_Res == {value}");\n{body}\n}}\n'
    return Attack(name, text, wrong)


def writes(name: str, value: str, body: str, *wrong: tuple[str, str]) -> Attack:
    """A function that writes one cell."""
    text = f'#include <optigpu.h>\nvoid f(int c, float* p) {{\n  __writes("p ~~> {value}");\n{body}\n}}\n'
    return Attack(name, text, wrong)


COUNT = "  int r = 0;\n  for (int j = 0; j < 8; j++) r += 1;\n  return r;"
ATTACKS = (
    writes(
        "the rest after an early return does not see the locals of else",
        "(c > 0 ? 0.0f : 1.0f)",
        "  const float x = 1.0f;\n  p[0] = 0.0f;\n  if (c > 0) return; else { const float x = 5.0f; }\n  p[0] = x;",
        ("0.0f : 1.0f", "0.0f : 5.0f"),
    ),
    writes(
        "nor those of then",
        "(c > 0 ? 1.0f : 0.0f)",
        "  const float x = 1.0f;\n  p[0] = 0.0f;\n  if (c > 0) { const float x = 5.0f; } else return;\n  p[0] = x;",
        ("? 1.0f", "? 5.0f"),
    ),
    returns(
        "the longest operator is read: a step of a variable is not two signs",
        "x",
        "  int v = x;\n  return - -v;",
        ("- -v", "--v"),
    ),
    returns("nor is a step up", "x", "  int v = x;\n  return + +v;", ("+ +v", "++v")),
    returns("nor behind the variable", "x - 1", "  int v = x;\n  return (v - - - 1);", ("v - - - 1", "v-- - 1")),
    returns("nor in arguments", "x", "  int v = x;\n  return min(- -v, v);", ("- -v", "--v")),
    writes(
        "a backslash continues a comment",
        "0.0f",
        "  p[0] = 0.0f; // the next line, too \\\n  p[0] = 1.0f;",
        ("~~> 0.0f", "~~> 1.0f"),
    ),
    Attack(
        "the sizes of MINDEX2 are those that the array got",
        """#include <optigpu.h>
float f(float* p) {
  __requires("A: int * int -> float");
  __reads("p ~> Matrix2(4, 4, A)");
  __ensures("_Res == A(1, 1)");
  int k = 4;
  const int m = 4;
  float* const q = MALLOC2(float, 4, m);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      q[MINDEX2(4, m, i, j)] = p[MINDEX2(4, 4, i, j)];
  k = 2;
  const float r = q[MINDEX2(4, m, 1, 1)];
  free(q);
  return r;
}
""",
        (("const int m", "int m"), ("k = 2", "m = 2")),
    ),
    Attack(
        "a shadowed size is another one",
        """#include <optigpu.h>
float f(int n, int m, float* p) {
  __requires("A: int * int -> float, n > 3, m > 3");
  __reads("p ~> Matrix2(n, m, A)");
  __ensures("_Res == A(1, 1)");
  float r = 0.0f;
  if (n > 0) {
    const int k = 1;
    r = p[MINDEX2(n, m, 1, 1)];
  }
  return r;
}
""",
        (("int k", "int m"),),
    ),
    Attack(
        "&a[1] of a plain pointer is no row",
        """#include <optigpu.h>
void g(int w, float q[1][w]) {
  __writes("q ~> Matrix2(1, w, fun i j -> 1.0f)");
  for (int j = 0; j < w; j++) q[0][j] = 1.0f;
}
void f(float a[2][4]) {
  __requires("A: int * int -> float");
  __consumes("a ~> Matrix2(2, 4, A)");
  __produces("a ~> Matrix2(2, 4, fun i j -> i == 1 ? 1.0f : A(i, j))");
  g(4, &a[1]);
}
""",
        (("float a[2][4]", "float* a"),),
    ),
    Attack(
        "a macro is a text",
        '#include <optigpu.h>\n#define N ((1) + (2))\nint f() {\n  __ensures("_Res == 6");\n  return N * 2;\n}\n',
        (("((1) + (2))", "(1) + (2)"),),
    ),
    Attack(
        "a ghost does not hide a function",
        """#include <optigpu.h>
int f(int x) {
  __ensures("_Res == x");
  return x;
}
__GHOST(g) {
  __requires("x: int");
  __ensures("x == x");
  __ASSERT("1 == 1");
}
""",
        (("_Res == x", "_Res == 6"), ("__GHOST(g)", "__GHOST(f)")),
    ),
    Attack(
        "an index is not read before or after a call that changes it",
        """#include <optigpu.h>
int next(int p[1]) {
  __consumes("&p[0] ~~> 0");
  __produces("&p[0] ~~> 1");
  __ensures("_Res == 7");
  p[0] = 1;
  return 7;
}
void f(int a[2], int p[1], int q[1]) {
  __writes("&a[0] ~~> 0, &a[1] ~~> 7");
  __reads("&q[0] ~~> 1");
  __consumes("&p[0] ~~> 0");
  __produces("&p[0] ~~> 1");
  a[0] = 0;
  a[1] = 0;
  a[q[0]] = next(p);
}
""",
        (("a[q[0]]", "a[p[0]]"),),
    ),
    returns("a loop does not start at its index", "8", COUNT.replace("= 0;", "= x;", 2).replace("r = x", "r = 0"),
            ("j", "x"), needs="x == 0"),
    returns("a bound is not the index", "8", COUNT.replace("8", "x + 3"), ("j", "x"), needs="x == 5"),
    returns("a step is not the index", "8", COUNT.replace("j++", "j += x"), ("j", "x"), needs="x == 1"),
    returns("an unsigned index and a negative bound", "0", "  int r = 0;\n  for (unsigned i = 0; i < n; i++) r = 1;\n  return r;",
            ("n == 0", "n == -1"), params="int n", needs="n == 0"),
    returns("a negative index and an unsigned bound", "5", "  int r = 0;\n  for (int i = x; i < n; i++) r += 1;\n  return r;",
            ("x == 0", "x == -1"), ("_Res == 5", "_Res == 6"), params="int x, unsigned n", needs="n == 5, x == 0"),
    returns("counting down to an unsigned bound", "6", "  int r = 0;\n  for (int i = 5; i >= n; i--) r += 1;\n  return r;",
            ("int n", "unsigned n"), params="int n", needs="n == 0"),
    returns("an index of 8 bits never gets to 300", "300", COUNT.replace("8", "300"), ("int j", "uint8_t j")),
    returns("0xFFFFFFFF is unsigned", "1", "  int r = 0;\n  if (x < 0x7FFFFFFF) r = 1;\n  return r;",
            ("0x7", "0xF"), needs="x == -1"),
    returns("-1u is not -1", "-1", "  const int64_t y = -1;\n  return y;", ("-1;", "-1u;")),
    returns("MSIZE is unsigned", "1", "  int r = 0;\n  if (x < MSIZE1(4)) r = 1;\n  return r;",
            ("x == 1", "x == -1"), needs="x == 1"),
    returns("a float that is no int8_t", "1", "  const int8_t y = (int8_t)100.0f;\n  return 1;", ("100", "300")),
    returns("a uint8_t that is no int8_t", "1", "  uint8_t u = 100;\n  const int8_t y = u;\n  return 1;", ("100", "200")),
    returns("an int8_t shifted too far", "100", "  int8_t y = 50;\n  y <<= 1;\n  return y;", ("50", "100"), ("== 100", "== 200")),
    returns("a shift by the width of int", "0", "  return x >> n;",
            ("n == 20", "n == 33"), params="int x, int n", needs="x == 1000, n == 20"),
    returns("a loop that shifts by the width of int", "1", "  int r = 0;\n  for (int i = 16; i > 0; i >>= 6) r += 1;\n  return r;",
            (">>= 6", ">>= 36")),
)  # fmt: skip

UNROLLED = "  int r = 0;\n#pragma unroll 3\n  for (int i = 0; i < 3; i++) r += 1; // */\n  return r;"
ATTACKS += (
    returns("a backslash joins words", "x", "  return - \\\n-x;", ("- \\\n", "-\\\n")),
    returns("also those that begin a comment", "4", "  int p[1] = {1};\n  int r = 4;\n  r = 4 / \\\n*p; // */\n  return r;",
            ("/ \\\n", "/\\\n")),
    returns("or end one", "1", "  int r = 1; /* * \\\n/ r = 2; */\n  return r;", ("* \\\n", "*\\\n"), ("2; */", "2; /* */")),
    returns("blanks after a backslash", "3", UNROLLED,
            ("unroll 3", "unroll \\ ")),
    returns("two backslashes", "1", "  int r = 0; // \\ \\ .\n  r = 1;\n  return r;", ("\\ \\ .", "\\\\")),
    returns("a trigraph is a backslash", "1", "  int r = 0; // ??\n  r = 1;\n  return r;", ("// ??", "// ??/")),
    returns("a comment begins in a pragma", "3", UNROLLED,
            ("unroll 3", "unroll /*")),
    Attack(
        "OpenMP clauses need no blanks between them",
        """#include <optigpu.h>
void f(int n, int a[n]) {
  __writes("a ~> Matrix1(n, fun i -> 3)");
  const int y = 3;
#pragma omp parallel for schedule(static) num_threads(4)
  for (int i = 0; i < n; i++) a[i] = y;
}
""",
        ((" num_threads(4)", "private(y)"),),
    ),
)  # fmt: skip


CHUNKS = """#include <optigpu.h>
void f(int n, int k, int a[n]) {
  __writes("a ~> Matrix1(n, fun i -> 3)");
#pragma omp parallel for schedule(static,4) num_threads(2)
  for (int i = 0; i < n; i++) a[i] = 3;
}
"""
ATTACKS += (
    Attack("a loop in chunks of nothing does not end", CHUNKS, (("static,4", "static,0"),)),
    Attack("nor one in chunks of a number that may be 0", CHUNKS, (("static,4", "dynamic,k"),)),
    Attack("or becomes it", CHUNKS, (("static,4", "static,4294967296"),)),
    Attack("a loop needs threads", CHUNKS, (("num_threads(2)", "num_threads(k)"),)),
)


def macro(name: str, value: str, definition: str, use: str, *wrong: tuple[str, str]) -> Attack:
    """A function that computes with a macro."""
    text = f'#include <optigpu.h>\n#define {definition}\nint f() {{\n  __ensures("_Res == {value}");\n  return {use};\n}}\n'
    return Attack(name, text, wrong)


ATTACKS += (
    macro("a macro does not change truth", "1", "N 0", "true ? 1 : 0", ("N 0", "true 0")),
    macro("nor a type", "-1", "N 1", "(int)((long)-1)", ("N 1", "long 1")),
    macro("a constant below zero of an unsigned type", "-1", "N (1 - 2)", "(int)N", ("1 - 2", "1u - 2u")),
    macro("a constant that a conversion changes", "30", "N ((uint8_t)30)", "N", ("30", "300")),
    macro("a constant that is none", "0", "N (1 / 2)", "N * 0", ("/ 2", "/ 0")),
    macro("a constant that is shifted out", "0", "N (1 << 20)", "N * 0", ("20", "40")),
    macro("a header changes a macro", "5", "EXIT_FAILURE 5", "EXIT_FAILURE", ("FAILURE 5\n", "FAILURE 5\n#include <stdlib.h>\n")),
)  # fmt: skip


DOWN = "  int r = 0;\n  for (unsigned i = 5; i > n; i -= 1) r += 1;\n  return r;"
ATTACKS += (
    returns("an unsigned index steps over 0", "5", DOWN, ("-= 1", "-= 2"), ("== 5", "== 3"), params="int n", needs="n == 0"),
    returns("or stops only in a wider type", "5", DOWN, ("> n", ">= n"), ("== 5", "== 6"), params="int64_t n", needs="n == 0"),
    returns("or at -1", "5", DOWN, ("n == 0", "n == -1"), ("== 5", "== 6"), params="int64_t n", needs="n == 0"),
    returns("a difference of unsigned numbers", "0", "  int r = 0;\n  if (u - 1 > 0) r = 1;\n  return r;",
            ("u == 1", "u == 0"), params="unsigned u", needs="u == 1"),
    returns("as a bound", "0", "  int r = 0;\n  for (unsigned i = 0; i < u - 1; i++) r += 1;\n  return r;",
            ("u == 1", "u == 0"), params="unsigned u", needs="u == 1"),
    returns("or made by an assignment", "1", "  unsigned v = u;\n  v -= 5;\n  return v < 5 ? 1 : 0;",
            ("u == 6", "u == 4"), params="unsigned u", needs="u == 6"),
)  # fmt: skip


ROW = """#include <optigpu.h>
int g(int r[2]) {
  __requires("v: int");
  __reads("&r[0] ~~> v");
  __ensures("_Res == v");
  return r[0];
}
int f(int p[2][2]) {
  __requires("A: int * int -> int");
  __reads("p ~> Matrix2(2, 2, A)");
  __ensures("_Res == A(1, 0)");
  return g(p[1]);
}
"""
CELL = """#include <optigpu.h>
float f(int p[1]) {
  __requires("v: int");
  __reads("&p[0] ~~> v");
  __ensures("_Res == v");
  return (float)p[0];
}
"""
ATTACKS += (
    Attack(
        "a parameter's size is computed in its type",
        """#include <optigpu.h>
float f(int n, int w, float a[n][(uint8_t)w]) {
  __requires("A: int * int -> float, w == 200, n == 2");
  __reads("a ~> Matrix2(n, w, A)");
  __ensures("_Res == A(1, 100)");
  return a[1][100];
}
""",
        (("200", "300"),),
    ),
    Attack("an int is not read as a float", CELL, (("(float)p[0]", "((float*)p)[0]"),)),
    Attack("nor through *", CELL, (("(float)p[0]", "*(float*)p"),)),
    Attack(
        "a bound that is changed through another pointer",
        """#include <optigpu.h>
int f(int p[4]) {
  __consumes("p ~> Matrix1(4, fun i -> 2)");
  __produces("p ~> Matrix1(4, fun i -> i == 1 ? 0 : 2)");
  __ensures("_Res == 2");
  int* const q = p + 1;
  const int n = q[0];
  int r = 0;
  for (int i = 0; i < n; i++) {
    p[1] = 0;
    r += 1;
  }
  p[1] = 0;
  return r;
}
""",
        (("i < n", "i < q[0]"),),
    ),
    Attack("a plain pointer has no rows", ROW, (("int p[2][2]", "int* p"),)),
)


def passed(name: str, before: str, *wrong: tuple[str, str]) -> Attack:
    """A function that is given an int and takes a double."""
    h = 'double h(double x) {\n  __ensures("_Res == x");\n  return x;\n}\n'
    g = 'double g(int x) {\n  __ensures("_Res == x");\n  return h(x);\n}\n'
    return Attack(name, f"#include <optigpu.h>\n{before}{g}{h}", wrong)


NEXT = """#include <optigpu.h>
int next(int p[1]) {
  __requires("v: int");
  __consumes("&p[0] ~~> v");
  __produces("&p[0] ~~> v + 1");
  __ensures("_Res == v");
  const int r = p[0];
  p[0] = r + 1;
  return r;
}
int f(int p[1]) {
  __consumes("&p[0] ~~> 0");
  __produces("&p[0] ~~> 2");
  __ensures("_Res == 1");
  const int x = next(p), y = next(p);
  int t[2] = {x, y};
  return t[1];
}
"""
ATTACKS += (
    passed("a function is called before it is declared", "double h(double x);\n", ("double h(double x);\n", "")),
    passed("or declared without its parameters", "double h(double x);\n", ("double h(double x);\n", "double h();\n")),
    passed("or with other ones", "double h(double x);\n", ("double h(double x);\n", "double h(int x);\n")),
    Attack("values of a list are computed in any order", NEXT,
           (("{x, y}", "{next(p), next(p)}"), ("~~> 2", "~~> 4"), ("== 1", "== 3"))),
    returns("and do not see each other", "1", "  int t[2] = {1, x};\n  return t[1];", ("1, x", "1, t[0]"), needs="x == 1"),
    returns("a formula does not convert", "x", "  return x;", ("== x", "== (uint8_t)x")),
    Attack(
        "a root of a negative number is none",
        """#include <optigpu.h>
float f(float x) {
  __requires("x >= 0");
  __ensures("_Res >= 0");
  return sqrtf(x);
}
""",
        (("x >= 0", "x >= -1"),),
    ),
)  # fmt: skip


HALF = """#include <optigpu.h>
double half(double x) {
  __ensures("_Res == x / 2");
  return x / 2.0;
}
double f() {
  __ensures("_Res == 4");
  return half(8.0);
}
"""
ATTACKS += tuple(
    Attack(f"compilers know {name}", HALF, (("half", name),))
    for name in ("cbrt", "roundeven", "sinf64", "__builtin_fabs", "_Half", "GOMP_parallel", "omp_get_thread_num")
)
STEPPED = (
    NEXT[: NEXT.index("int f(")]
    + """void f(int p[1], int a[2][2]) {
  __consumes("&p[0] ~~> 0");
  __produces("&p[0] ~~> 2");
  __writes("&a[0][1] ~~> 0");
  const int x = next(p);
  const int y = next(p);
  a[x][y] = 0;
}
"""
)
MADE = STEPPED.replace('  __writes("&a[0][1] ~~> 0");\n', "").replace(", int a[2][2]", "")
ATTACKS += (
    returns("a char has a sign on some machines", "-1", "  const int8_t c = -1;\n  return c;", ("int8_t", "char")),
    returns("C looks for a header beside the program", "x", "  return x;", ("<optigpu.h>", '"optigpu.h"')),
)  # fmt: skip
SIZE = """#include <optigpu.h>
float f(int u, int k, float* a) {
  __requires("A: int * int -> float, u == 2, u / 2 > 0");
  __reads("a ~> Matrix2(2, (u - 5) / 2 + 10, A)");
  __ensures("_Res == A(1, 0)");
  return a[MINDEX2(2, (u - 5) / 2 + 10, 1, 0)];
}
"""
ATTACKS += (
    Attack("C computes the sizes of a MINDEX", SIZE, (("int u", "unsigned u"),)),
    Attack("and may fail to", SIZE, (("/ 2", "/ k"), ("u / k > 0", "(u - 5) / k + 10 > 0"))),
)
STEP = """#include <optigpu.h>
void f(int* p) {
  __consumes("p ~~> 1");
  __produces("p ~~> 2");
  (*p)++;
}
"""
ATTACKS += (Attack("*p++ steps the pointer", STEP, (("(*p)++", "*p++"),)),)
HALVES = """#include <optigpu.h>
void f(int n, float a[n]) {
  __writes("a ~> Matrix1(n, fun (i: int) -> i / 2)");
  for (int i = 0; i < n; i++) a[i] = i / 2;
}
"""
COPIED = """#include <optigpu.h>
void f(int n, int b[n], float a[n]) {
  __requires("B: int -> int");
  __reads("b ~> Matrix1(n, B)");
  __writes("a ~> Matrix1(n, B)");
  for (int i = 0; i < n; i++) a[i] = b[i];
}
"""
ATTACKS += (
    Attack("a binder has the type of its place", HALVES, (("(i: int)", "(i: float)"),)),
    Attack("floats that are integers", COPIED, (("= b[i]", "= b[i] / 2.0f"),)),
)
XY = ("  const int x = next(p);\n  const int y = next(p);\n", "")
ATTACKS += (
    Attack("indices are computed in any order", STEPPED, (XY, ("[x][y]", "[next(p)][next(p)]"))),
    Attack("sizes too", MADE.replace("a[x][y] = 0", "int t[x + 1][y]"), (XY, ("[x + 1][y]", "[next(p) + 1][next(p)]"))),
    Attack("and those of allocations", MADE.replace("a[x][y] = 0;", "int* const t = MALLOC2(int, x, y);\n  free(t);"),
           (XY, ("x, y)", "next(p), next(p))"))),
)  # fmt: skip


PUT = """#include <optigpu.h>
void f(int Cells, int* p) {
  __writes("&p[0] ~~> Cells");
  p[0] = Cells;
}
"""
EACH = """#include <optigpu.h>
void f(int n, int a[n]) {
  __writes("for Cells in 0..n -> &a[Cells] ~~> Cells");
  for (int i = 0; i < n; i++) a[i] = i;
}
"""
RESULT = """#include <optigpu.h>
int f(int n, int* p) {
  __requires("Result: int, Result == n");
  __writes("&p[0] ~~> Result");
  p[0] = n;
  return 0;
}
"""
TRUTH = """#include <optigpu.h>
int f(int H, int W, float* a) {
  __requires("A: int * int -> float, H > 1, W > 1, A(1, 1) == 0");
  __reads("a ~> Matrix2(H, W, A)");
  __ensures("_Res == 0");
  return a[MINDEX2(H, W, 1, 1)] ? 1 : 0;
}
"""
WIDE = """#include <optigpu.h>
float f(int H, int w, float* a) {
  __requires("A: int * int -> float, H == 4, w == 7");
  __reads("for v in 0..1 -> a ~> Matrix2(H, w + 5, A)");
  __ensures("_Res == A(1, 1)");
  return a[MINDEX2(H, w + 5, 1, 1)];
}
"""
SHAPES = """#include <optigpu.h>
float f(float* a) {
  __requires("A: int * int -> float, B: int * int -> float");
  __reads("a ~> Matrix2(2, 4, A), a ~> Matrix2(1, 4, B)");
  __ensures("_Res == A(1, 1)");
  return a[MINDEX2(2, 4, 1, 1)];
}
"""
DEVICE = """#include <optigpu.h>
void f(int n, float* a, float* b) {
  __requires("A: int -> float");
  __reads("for c in 0..n -> &b[c] ~~>[GMem] 0.0f");
  __reads("a ~> Matrix1Of(n, GMem, A)");
  kernel_launch(1, 32, 0);
  kernel_setup_end();
  thread for (int t = 0; t < 32; t++) {
    if (t < n) {
      const float x = a[t];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
"""
EVERY = """#include <optigpu.h>
int f(int* p) {
  __requires("F: int -> int, forall (n: int) -> F(n) >= 0");
  __reads("&p[0] ~~> F(-1)");
  __ensures("_Res >= 0");
  return p[0];
}
"""
ATTACKS += (
    Attack("what a cell holds is not the name of something else", PUT, (("= Cells", "= 0"), ("Cells", "Cell"))),
    Attack("nor that it holds nothing", PUT, (("  p[0] = Cells;\n", ""), ("Cells", "UninitCell"))),
    Attack("nor in a formula", EACH, (("= i;", "= 7;"), ("Cells", "Cell"))),
    returns("a contract does not change what min is", "least(x, 3)", "  return 7;", ("least", "min"),
            needs="least: int * int -> int, forall (a: int) (b: int) -> least(a, b) == 7"),
    returns("a formula does not wrap around", "-1", "  return -1;", ("== -1", "== 1u - 2")),
    returns("what people see is what is read", "1", "  int r = 0; /* one */\n  r = 1;\n  return r;",
            ("/* one */\n  r = 1;", "/* one \u202e; 1 = r */\n  r = 1;")),
    Attack("the result is one thing", RESULT, (("Result", "_Res"),)),
    Attack("a MINDEX of an array with rows is a row, which is true", TRUTH, (("float* a", "float a[H][W]"),)),
    Attack("the size of an array is not what a formula binds", WIDE, (("v in", "w in"),)),
    Attack("a plain pointer has one layout", SHAPES, (("(1, 4, B)", "(2, 2, B)"), ("_Res == A", "_Res == B"))),
    Attack("memory is where its own permission says", DEVICE,
           (("for c", "for a"), ("&b[c]", "&b[a]"), ("Matrix1Of(n, GMem, A)", "Matrix1(n, A)"))),
    Attack("formulas speak of all integers", EVERY, (("n: int)", "n: unsigned)"),)),
    returns("an escape in a formula is no letter", "x \\n", "  return x;",
            ("return x", "return xn"), ("x \\n", "x\\n"), params="int x, int xn"),
    returns("what else follows a backslash", "x", "  return x;", ("== x", "== \\x")),
    returns("a carriage return ends a line", "0", "  int r = 0; //\n  r = 0; // one; r = 1;\n  return r;", ("one;", "one;\r")),
    macro("a part of a constant that wraps around", "2147483647", "N ((4294967295u - 1u) / 2u)", "N",
          ("- 1u", "+ 1u"), ("2147483647", "2147483648")),
    returns("a conversion from a longer unsigned type", "1", "  const unsigned u = x;\n  return u > 0 ? 1 : 0;",
            ("== 4294967295", "== 4294967296"), params="uint64_t x", needs="x == 4294967295"),
)  # fmt: skip


ATTACKS += (
    returns("a local array has some element", "x", "  int t[n][3];\n  return x;",
            ("n > 0", "n >= 0"), params="int n, int x", needs="n > 0"),
    returns("in each of its dimensions", "x", "  int t[3][n];\n  return x;",
            ("[n]", "[n - 1]"), params="int n, int x", needs="n > 0"),
    returns("but malloc may return none", "x", "  int* const t = MALLOC1(int, n);\n  free(t);\n  return x;", ("n >= 0", "n >= -1"),
            params="int n, int x", needs="n >= 0"),
)  # fmt: skip


SET = """#include <optigpu.h>
void set(int* p) {
  __writes("p ~~> 5");
  *p = 5;
}
int f() {
  __ensures("_Res == 5");
  int x[1] = {0};
  set(&x[0]);
  return x[0];
}
"""
ATTACKS += (
    returns("a string ends on its line", "5", '  int r = 5;\n  __ASSERT("1 == 1" \n " && r == 5");\n  return r;', ('" \n "', "\n")),
    returns("a pointer has another size than what it points to", "4", "  return (int)sizeof(int);", ("(int);", "(int*);")),
    Attack("variables have no addresses", SET, (("x[1] = {0}", "x = 0"), ("x[0]", "x"))),
)  # fmt: skip


def finite(name: str, literal: str, *wrong: tuple[str, str]) -> Attack:
    return returns(name, "1", f"  const float y = {literal};\n  return y > 0 && y - y == 0 ? 1 : 0;", *wrong)


ATTACKS += (
    finite("a float has a largest number", "3.4028235e38f", ("3.4028235e38f", "3.4028236e38f")),
    finite("and a smallest", "1.4e-45f", ("1.4e-45f", "7e-46f")),
    finite("also where it was a double", "3.4028235e38", ("3.4028235e38", "3.4028236e38")),
    finite("or is made one", "(float)1.4e-45", ("1.4e-45", "7e-46")),
    finite("a double too", "(float)(1.7976931348623158e308 / 1e300)", ("158e308", "159e308")),
)  # fmt: skip


def equals_itself(name: str, call: str, *wrong: tuple[str, str]) -> Attack:
    """What is no number is not equal to itself, and the difference of two infinities is none."""
    return returns(
        name,
        "1",
        f"  const float y = {call};\n  return y - y == 0.0f ? 1 : 0;",
        *wrong,
        params="float x",
        needs="x == 2",
    )


ATTACKS += (
    equals_itself("a root of a negative number is no number", "sqrtf(x)", ("x == 2", "x == -2")),
    equals_itself("nor is a power of one", "powf(x, 0.5f)", ("x == 2", "x == -2")),
    equals_itself("but an integer power of one", "powf(-x, 3.0f)", ("3.0f", "3.5f")),
    equals_itself("a power that divides by zero", "powf(x, -1.0f)", ("x == 2", "x == 0")),
    equals_itself("a logarithm of zero", "logf(x)", ("x == 2", "x == 0")),
    equals_itself("to any base", "log2f(x)", ("x == 2", "x == -1")),
    equals_itself("one over a root of zero", "rsqrtf(x)", ("x == 2", "x == 0")),
)  # fmt: skip


READ = """#include <optigpu.h>
int f(int k, int p[2]) {
  __requires("k == 1");
  __reads("p ~> Matrix1(2, fun i -> i)");
  __ASSERT("Sum(i in 0..2, p[k]) == 2");
  return 0;
}
"""
GREATEST = """#include <optigpu.h>
float f(float a[2][2]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(2, 2, A)");
  __ensures("_Res == Max(i in 0..2, j in 0..1, A(i, j))");
  return fmaxf(a[0][0], a[1][0]);
}
"""
TILES = """#include <optigpu.h>
void f(int n, int a[n]) {
  __requires("n >= 0, n % 4 == 0");
  __writes("a ~> Matrix1(exact_div(n, 4) * 4, fun i -> 1)");
  for (int i = 0; i < n / 4 * 4; i++) a[i] = 1;
}
"""
ATTACKS += (
    Attack("an assertion does not read one cell for many", READ, (("p[k]) == 2", "p[min(max(i, 0), 1)]) != 1"),)),
    Attack("nor through what it reads", READ, (("p[k]) == 2", "p[p[min(max(i, 0), 1)]]) != 1"),)),
    Attack("a maximum has no terms but those of its ranges", GREATEST, (("0..1", "0..i"),)),
    Attack("nor has a minimum", GREATEST.replace("Max", "Min").replace("fmaxf", "fminf"), (("0..1", "0..i"),)),
    returns("exact_div in a contract divides", "exact_div(n, 2)", "  return n / 2;",
            (", n % 2 == 0", ""), params="int n", needs="n >= 0, n % 2 == 0"),
    Attack("also in a size", TILES, ((", n % 4 == 0", ""),)),
    returns("of a division by zero nothing remains", "x % y", "  return y == 0 ? x : x % y;",
            ("y != 0", "y >= 0"), params="int x, int y", needs="y != 0"),
    returns("but where it does", "(n % 2 == 0 ? exact_div(n, 2) : 0)", "  return n % 2 == 0 ? n / 2 : 0;",
            ("n % 2 == 0", "n % 3 == 0"), params="int n", needs="n >= 0"),
)  # fmt: skip


HALVED = """#include <optigpu.h>
int f(int n, int a[9]) {
  __writes("a ~> Cells1(9)");
  __ensures("_Res == n + 15");
  for (int i = 0; i < 9; i++) {
    __xwrites("&a[i] ~~> i");
    a[i] = i;
  }
  int c = n;
  for (int s = 8; s > 0; s >>= 1) {
    c += a[s];
  }
  return c;
}
"""
PAIRS = """#include <optigpu.h>
void f(int n, int a[2 * n]) {
  __requires("n >= 0");
  __writes("a ~> Cells1(2 * n)");
  for (int s = 0; s < n; s++) {
    __xwrites("&a[2 * s] ~~> 1");
    __xwrites("&a[2 * s + 1] ~~> 2");
    a[2 * s] = 1;
    a[2 * s + 1] = 2;
  }
}
"""
COUNTED = """#include <optigpu.h>
int f(int n) {
  __requires("n >= 0");
  __ensures("_Res == n");
  int c = 0;
  int d = 0;
  for (int s = 0; s < n; s++) {
    __spreserves("&d ~~> 2 * s, &c ~~> s");
    c += 1;
    d += 2;
  }
  return c;
}
"""
ONE = """#include <optigpu.h>
void f(int a[5]) {
  __requires("A: int -> int");
  __consumes("a ~> Matrix1(5, A)");
  __produces("a ~> Matrix1(5, fun i -> i == 2 ? 1 : A(i))");
  for (int j = 2; j < 3; j++) a[j % 5] = 1;
}
"""
OWN = """#include <optigpu.h>
void f(int n, int a[n], int c[4]) {
  __requires("n >= 0");
  __writes("a ~> Cells1(n)");
  __consumes("c ~> Matrix1(4, fun i -> 0)");
  __produces("c ~> Matrix1(4, fun i -> n)");
  for (int s = 0; s < n; s++) {
    __xconsumes("&a[s] ~> UninitCell");
    __xproduces("&a[s] ~~> 1");
    __spreserves("for k in 0..4 -> &c[k] ~~> s");
    a[s] = 1;
    for (int k = 0; k < 4; k++) c[k] += 1;
  }
}
"""
HEAD = "s >>= 1) {\n"
ATTACKS += (
    *(
        Attack(f"a loop that is unrolled promises nothing: {clause}", HALVED, ((HEAD, f"{HEAD}    {clause};\n"),))
        for clause in ('__invariant("0 == 1")', '__spreserves("&c ~~> 100")', '__xensures("s == 3")',
                       '__xreads("&a[s] ~~> 7")', '__xrequires("k: int, k == 3, k == 4")')
    ),
    Attack("a loop does not promise two things of a cell", PAIRS, (("&a[2 * s] ~~> 1", "&a[2 * s + 1] ~~> 5"),)),
    Attack("an iteration takes what is there", OWN, (("&a[s] ~> Un", "&a[s + 1] ~> Un"),)),
    Attack("also what nothing is known of", OWN, (("&a[s] ~> Un", "&a[s - n] ~> Un"),)),
    Attack("and keeps what is there", OWN, (("k in 0..4", "k in -1..4"),)),
    Attack("nor has it a variable twice", COUNTED, (("&d", "&c"), ("  int d = 0;\n", ""), ("    d += 2;\n", ""))),
    Attack("what one iteration leaves", ONE, (("A(i))", "i == 3 ? 4 : A(i))"),)),
)  # fmt: skip


STORED = """#include <optigpu.h>
int f(int x, int p[1]) {
  __consumes("&p[0] ~> UninitCell");
  __produces("&p[0] ~~> _Res");
  p[0] = x;
  return x;
}
"""
MAYBE = """#include <optigpu.h>
int g(int n, int a[1]) {
  __consumes("&a[0] ~> UninitCell");
  __produces("If(_Res == 1, &a[0] ~~> 5)");
  __produces("If(_Res != 1, &a[0] ~> UninitCell)");
  int r = 0;
  if (n > 0) {
    a[0] = 5;
    r = 1;
  }
  return r;
}
int f(int n) {
  __ensures("_Res == 0 || _Res == 5");
  int a[1];
  const int r = g(n, a);
  int s = 0;
  if (r == 1) s = a[0];
  return s;
}
"""
ATTACKS += (
    Attack("what a cell holds is the result", STORED, (("return x", "return x + 1"),)),
    Attack("where the result says so", MAYBE, (("r == 1", "r == 0"),)),
    Attack("and only there", MAYBE, (("int r = 0", "int r = 1"),)),
)


def verified(text: str, unbounded: bool = True) -> bool:
    """Integers that overflow are another matter (tests/elaborate/test_machine_integers.py)."""
    try:
        return Verifier(Settings(unbounded=unbounded)).verify(parse_text(text)).verified
    except InputError:
        return False


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: a.name)
def test_what_is_right_verifies_and_what_is_wrong_does_not(attack: Attack) -> None:
    unbounded = not verified(attack.text, unbounded=False)
    assert verified(attack.text, unbounded)
    text = attack.text
    for old, new in attack.wrong:
        assert old in text
        text = text.replace(old, new)
    assert not verified(text, unbounded)


def test_a_library_function_is_declared_by_its_header() -> None:
    """Without one, C would call this `fmaxf` with integers."""
    own = "int largest(int a, int b);\nint f() {\n  const float y = fmaxf(0.0f, 1.0f);\n  return 7;\n}\n"
    assert verified(own)
    assert not verified(own.replace("largest", "fmaxf"))


def test_recursion_through_an_include_is_rejected(tmp_path: Path) -> None:
    body = '(int x) {{\n  __ensures("_Res == 6");\n  return {}(x);\n}}\n'
    (tmp_path / "g.h").write_text("int g" + body.format("f"))
    (tmp_path / "f.c").write_text('#include "g.h"\nint f' + body.format("g"))
    with pytest.raises(InputError, match="recursion"):
        parse_file(tmp_path / "f.c")


def test_abs_of_a_float_is_one_in_c_too(tmp_path: Path) -> None:
    program = "#include <optigpu.h>\nint main(void) { float x = -1.5f; return abs(x) == 1.5f ? 0 : 1; }\n"
    (tmp_path / "f.c").write_text(program)
    include = str(files("optigpu.frontend").joinpath("include"))
    subprocess.run(["cc", "-std=c11", "-I", include, "f.c", "-o", "f"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "f"], check=False).returncode == 0


@pytest.mark.parametrize("text", ['__DEF(min, "fun (a: int) (b: int) -> a");', '__AXIOM(wrong, "0 == 1");'])
def test_a_script_does_not_change_what_contracts_mean(text: str) -> None:
    program = '#include <optigpu.h>\nint f(int a, int b) {\n  __ensures("_Res == min(a, b)");\n  return min(a, b);\n}\n'
    s = og.Script(parse_text(program))
    s.function.insert('int g(int x) { __ensures("_Res == x"); return x; }')
    with pytest.raises(InputError):
        s.function.insert(text)


def chained(levels: int, step: str, last: str) -> str:
    """Values that are made of those before them."""
    params = ", ".join(f"int a{i}" for i in range(levels))
    body = "".join(f"  const int x{i + 1} = {step.format(i=i)};\n" for i in range(levels))
    result = f"x{levels}"
    return f'int f(int x0, {params}) {{\n  __requires("x0 > 0");\n{body}  return {last.format(x=result)};\n}}\n'


def test_a_chain_of_choices_takes_no_more_time_than_its_length() -> None:
    choices = "a{i} > 0 ? x{i} + 1 : x{i} + 2"
    assert verified(chained(40, choices, "12 / ({x} > 0 ? {x} : 1)"))
    assert not verified(chained(40, choices, "12 / ({x} > 0 ? 0 : 1)"))


def test_what_has_too_many_summands_is_too_large() -> None:
    assert verified(chained(4, "x{i} * x{i} + a{i}", "{x}"))
    (result,) = Verifier().verify(parse_text(chained(12, "x{i} * x{i} + a{i}", "{x}"))).functions
    assert result.problem is not None and result.problem.code == "OG015"


LONG = " + ".join(["1"] * 300)
NESTED = "(" * 300 + "int -> int" + " -> int)" * 300


@pytest.mark.parametrize(
    "text",
    [f"#define N ({LONG})", f'__DEF(N, "{LONG}");', f'__AXIOM(N, "{LONG} == 300");', f'__DECL(N, "{NESTED}");',
     f'void g(int a[{LONG}]) {{\n  __reads("HostCtx");\n}}', f'void g() {{\n  __requires("N: {NESTED}");\n}}'],
    ids=["macro", "definition", "axiom", "declaration", "size", "logical variable"],
)  # fmt: skip
def test_what_is_nested_too_deep_is_an_error_at_its_place(text: str) -> None:
    program = 'int f(int x) {\n  __ensures("_Res == x");\n  return x;\n}\n'
    assert verified(f"#include <optigpu.h>\n{program}")
    with pytest.raises(InputError, match="nested more than 200 levels deep"):
        parse_text(f"#include <optigpu.h>\n{text}\n{program}")


@pytest.mark.parametrize("text", ["unsigned\u00a0int x = 3;", "int x = \u0663;", "int x\u00e9 = 3;"])
def test_letters_digits_and_blanks_are_those_of_c(text: str) -> None:
    with pytest.raises(InputError):
        parse_text(f"void f() {{\n  {text}\n}}\n")


def test_a_header_does_not_call_what_is_declared_below_it(tmp_path: Path) -> None:
    """C passes an int there, whatever the function takes."""
    (tmp_path / "h.h").write_text(
        'int h(int n) {\n  __requires("n >= -9, n < 9");\n  __ensures("_Res == n");\n  return g(n);\n}\n'
    )
    g = 'int g(int64_t x) {\n  __requires("x >= -9, x < 9");\n  __ensures("_Res == x");\n  return (int)x;\n}\n'
    include = '#include "h.h"\n'
    (tmp_path / "right.c").write_text(f"#include <optigpu.h>\n{g}{include}")
    (tmp_path / "wrong.c").write_text(f"#include <optigpu.h>\n{include}{g}")
    assert Verifier().verify(parse_file(tmp_path / "right.c")).verified
    with pytest.raises(InputError, match="`g` is not declared"):
        parse_file(tmp_path / "wrong.c")


@pytest.mark.parametrize(
    ("number", "kind"), [("-0.5f", "float"), ("-4294967296", "int64_t"), ("4000000000u", "unsigned")]
)
def test_without_its_header_abs_is_one_of_integers(number: str, kind: str) -> None:
    code = f"const {kind} x = {number};\n  return abs(x) == 0 ? 5 : 7;"
    program = f'int f() {{\n  __ensures("_Res == 7");\n  {code}\n}}\n'
    assert verified("#include <optigpu.h>\n" + program)
    assert verified("#include <stdlib.h>\n" + program.replace(kind, "int").replace(number, "-3"))
    assert not verified("#include <stdlib.h>\n" + program)
    assert not verified("#include <stdlib.h>\n" + program + "#include <optigpu.h>\n")
