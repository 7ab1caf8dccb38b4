"""Machine integers: a stored value is proved to fit its type, unsigned types wrap, and signed expressions are mathematical."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import optigpu as og
from optigpu.check.verdict import FunctionResult, Verdict
from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_text
from optigpu.report.verdict_text import assumptions, render_function
from optigpu.runtime.call_error import CallError
from optigpu.syntax.diagnostic import InputError


def check(text: str, unbounded: bool = False) -> FunctionResult:
    program = parse_text(f"#include <optigpu.h>\n{text}", "t.c")
    return Verifier(Settings(unbounded=unbounded)).verify(program).functions[-1]


ACCEPTED = {
    "counter": """int f(int n) { __requires("n >= 0"); __ensures("_Res == n");
  int c = 0; for (int i = 0; i < n; i++) c++; return c; }""",
    "guarded counter": """int f(int n, int a[n]) { __requires("A: int -> int"); __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Sum(k in 0..n, A(k) > 3 ? 1 : 0)");
  int c = 0; for (int i = 0; i < n; i++) if (a[i] > 3) c++; return c; }""",
    "wide sum": """int64_t f(int n, int a[n]) { __requires("A: int -> int"); __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Sum(k in 0..n, A(k))"); int64_t s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }""",
    "sum of bytes": """int f(int n, uint8_t a[n]) { __requires("A: int -> int, n <= 1000000"); __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Sum(k in 0..n, A(k))"); int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }""",
    "table of bytes": """void f(int n, uint8_t a[n], int t[256]) { __reads("a ~> Cells1(n)"); __writes("t ~> Cells1(256)");
  for (int i = 0; i < 256; i++) t[i] = 0; for (int i = 0; i < n; i++) t[a[i]] = 1; }""",
    "unsigned is not negative": 'unsigned f(unsigned x) { __ensures("_Res >= 0"); return x / 2u; }',
    "unsigned wraps": 'unsigned f(unsigned x) { __ensures("_Res < 4294967296"); return x * 31u + 7u; }',
    "minus of unsigned": 'unsigned f(unsigned x) { __requires("x > 0"); __ensures("_Res == 4294967296 - x"); return -x; }',
    "minus of what is promoted": 'int f(uint8_t x) { __ensures("_Res == -x"); return -x; }',
    "cast of what fits": """int f(int a, int b) { __requires("0 <= a && a < 1000, 0 <= b && b < 1000");
  __ensures("_Res == a * b"); return (int)(a * b); }""",
    "product of two numbers": 'int64_t f(int a, int b) { __ensures("_Res == a * b"); return (int64_t)a * b; }',
    "square": 'int64_t f(int a) { __ensures("_Res == a * a"); return (int64_t)a * a; }',
    "product of signed and unsigned": 'int f(int16_t a, uint16_t b) { __ensures("_Res == a * b"); return a * b; }',
    "unsigned indices of a pointer": """int f(int a[9], unsigned i, unsigned j) { __reads("a ~> Cells1(9)");
  __requires("i < 4, j < 4"); return (&a[i])[j]; }""",
    "difference of unsigned": 'unsigned f(unsigned x) { __requires("x >= 3"); __ensures("_Res == x - 3"); return x - 3u; }',
    "cast to unsigned": 'uint8_t f(int x) { __requires("x == 300"); __ensures("_Res == 44"); return (uint8_t)x; }',
    "intermediate values": 'int f(int n) { __requires("n >= 0"); __ensures("_Res == (n + 31) / 32"); return (n + 31) / 32; }',
    "constants are no places": """int f(int n) { __requires("n >= 0"); __ensures("_Res == n / 2");
  const int twice = n + n; return twice / 4; }""",
    "the last step of a signed index": """void f(int n, float a[n]) { __writes("a ~> Cells1(n)");
  for (int i = 0; i < n; i++) a[i] = 0.0f; for (int i = 0; i < n; i += 32) a[i] = 1.0f; }""",
    "unsigned bound of a signed index": """void f(uint16_t n, float a[65535]) { __writes("a ~> Cells1(65535)");
  for (int i = 0; i < 65535; i++) a[i] = 0.0f; for (int i = 0; i < (unsigned)n; i++) a[i] = 1.0f; }""",
    "unsigned index that doubles": """void f(int a[101]) { __writes("a ~> Cells1(101)");
  for (int i = 0; i < 101; i++) a[i] = 0; for (unsigned i = 1; i <= 1073741824u; i *= 2) a[100u / i] = 1; }""",
    "all of a type": 'int f(int x) { __requires("x < 2147483647"); __ensures("_Res == x + 1"); return x + 1; }',
    "arguments": """int g(int x) { __requires("x >= 0"); __ensures("_Res == x / 2"); return x / 2; }
int f(int x) { __requires("x >= 0, x < 100"); __ensures("_Res == x"); return g(x + x); }""",
    "memory has fewer cells than there are addresses": """int64_t f(int n, int m, float a[n][m]) {
  __reads("a ~> Cells2(n, m)"); __ensures("_Res == n * m"); int64_t s = 0; s = (int64_t)n * m; return s; }""",
}

OVERFLOW, CONVERSION, ACCESS, PROMISE = "OG336", "OG313", "OG302", "OG307"
REJECTED = {
    "wrapping index": (
        """void f(int n, int m, int a[16]) { __requires("m >= 0"); __writes("a ~> Cells1(16)");
  for (int i = 0; i < 16; i++) a[i] = 0;
  int k = 0;
  for (int i = 0; i < n; i++) { a[k % 16] = 1; k += m; } }""",
        OVERFLOW, 5,
    ),
    "product of two numbers": ('int f(int a, int b) {\n return a * b; }', OVERFLOW, 3),
    "product of wide numbers": ('int64_t f(int64_t a, int b) {\n return a * b; }', OVERFLOW, 3),
    "product of unsigned numbers": ('int f(uint16_t a, uint16_t b) {\n return a * b; }', OVERFLOW, 3),
    "cast of a product": (
        """int h(int n, int a, int b, int x[n]) { __requires("0 < n, 0 <= a, 0 <= b"); __reads("x ~> Cells1(n)");
  return x[(int)(a * b) % n]; }""",
        CONVERSION, 3,
    ),
    "cast of a wide product": (
        """int64_t f(int64_t a, int64_t b) { __requires("0 < a, 0 < b"); __ensures("_Res == a");
  return (int64_t)(a * b) / b; }""",
        CONVERSION, 3,
    ),
    "cast of a constant that is no place": (
        'int64_t f(int a, int b) { __ensures("_Res == a * b");\n  const int p = a * b; return (int)p; }', CONVERSION, 3,
    ),
    "unsigned indices of a pointer": (
        """int f(int a[1], unsigned i, unsigned j) { __reads("a ~> Cells1(1)");
  __requires("i == 4000000000, j == 294967296");
  return (&a[i])[j]; }""",
        ACCESS, 4,
    ),
    "minus of unsigned": (
        'unsigned f(unsigned x) {\n __ensures("_Res == 4294967296 - x");\n return -x; }', PROMISE, 3
    ),
    "counter by two": (
        'int f(int n) { __requires("n >= 0");\n int c = 0; for (int i = 0; i < n; i++) c += 2; return c; }', OVERFLOW, 3,
    ),
    "narrow sum": (
        """int f(int n, int a[n]) { __requires("A: int -> int"); __reads("a ~> Matrix1(n, A)");
  int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }""",
        OVERFLOW, 3,
    ),
    "element": (
        """void f(int a[1]) { __requires("A: int -> int");
  __consumes("a ~> Matrix1(1, A)"); __produces("a ~> Cells1(1)");
  a[0] = a[0] + 1; }""",
        OVERFLOW, 4,
    ),
    "byte": ('void f(int x, uint8_t a[1]) { __writes("a ~> Cells1(1)");\n  a[0] = x; }', CONVERSION, 3),
    "result": ("int f(int x) {\n  return x + 1; }", OVERFLOW, 3),
    "negation": ("int f(int x) {\n  return -x; }", OVERFLOW, 3),
    "argument": ("int g(int x) { return 0; }\nint f(int x) {\n  return g(x + x); }", OVERFLOW, 4),
    "constant of unsigned": ("int f(unsigned x) {\n  const int i = x; return i; }", CONVERSION, 3),
    "wide to narrow": ("int f(int64_t x) {\n  const int i = (int)x; return i; }", CONVERSION, 3),
    "guard that wraps": (
        """void f(unsigned i, unsigned k, float a[10]) { __reads("a ~> Cells1(10)");
  float y = 0.0f;
  if (i + k < 10u) y = a[i]; }""",
        ACCESS, 4,
    ),
    "unsigned difference": ('unsigned f(unsigned x) { __ensures("_Res == x - 3");\n return x - 3u; }', PROMISE, 2),
    "negative as unsigned": ("unsigned f(int x) {\n  const unsigned y = x; return y; }", CONVERSION, 3),
    "index beyond its type": (
        'void f(int64_t n, float a[n]) { __writes("a ~> Cells1(n)");\n  for (int i = 0; i < n; i++) a[i] = 0.0f; }', OVERFLOW, 3,
    ),
    "unsigned index up to the last": (
        """void f(unsigned n) {
  float y = 0.0f;
  for (unsigned i = 0; i <= n; i++) y = 1.0f; }""",
        OVERFLOW, 4,
    ),
    "bound that a cast makes larger than the type of the index": (
        """void f(int n, int64_t m, float a[m]) { __requires("m >= 4294967295"); __writes("a ~> Cells1(m)");
  for (int64_t j = 0; j < m; j++) a[j] = 0.0f;
  for (int i = 0; i < (unsigned)n; i++) { const int k = i; a[k] = 1.0f; } }""",
        OVERFLOW, 4,
    ),
    "unsigned index that doubles to 0": (
        """void f(int a[101]) { __writes("a ~> Cells1(101)"); for (int i = 0; i < 101; i++) a[i] = 0;
  for (unsigned i = 1; i <= 3000000000u; i *= 2) a[100u / i] = 1; }""",
        OVERFLOW, 3,
    ),
    "unsigned index that is shifted to 0": (
        """void f(int a[101]) { __writes("a ~> Cells1(101)"); for (int i = 0; i < 101; i++) a[i] = 0;
  for (unsigned i = 1; i <= 3000000000u; i <<= 1) a[100u / i] = 1; }""",
        OVERFLOW, 3,
    ),
    "product of two sizes that may both be negative": (
        """int64_t f(int64_t n, int64_t m, float* a) {
  __reads("for i in 0..n -> for j in 0..m -> &a[i * m + j] ~> Cell");
  return n * m; }""",
        OVERFLOW, 4,
    ),
    "product of sizes as int": (
        """int f(int n, int m, float a[n][m]) { __reads("a ~> Cells2(n, m)"); __ensures("_Res == n * m");
  return n * m; }""",
        OVERFLOW, 3,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ACCEPTED)
def test_numbers_that_fit_are_accepted(name: str) -> None:
    result = check(ACCEPTED[name])
    assert result.verdict is Verdict.VERIFIED, render_function(result)


@pytest.mark.parametrize("name", REJECTED)
def test_numbers_that_may_not_fit_are_rejected_at_their_place(name: str) -> None:
    text, code, line = REJECTED[name]
    result = check(text)
    assert result.verdict is not Verdict.VERIFIED
    assert result.problem is not None
    assert (result.problem.code, result.problem.loc.line) == (code, line), render_function(result)


def test_unbounded_integers_are_an_assumption_with_its_place() -> None:
    program = parse_text("#include <optigpu.h>\nint f(int x) {\n  return x + 1; }\nint g(int x) { return x; }", "t.c")
    result = Verifier(Settings(unbounded=True)).verify(program)
    assert result.verified
    assert [(p.line, p.column) for p in result.unbounded] == [(3, 10)]
    assert result.assumptions == 1
    assert "integers fit at t.c:3:10" in assumptions(result)
    proved = Verifier(Settings()).verify(parse_text("int g(int x) { return x; }", "t.c"))
    assert "safe on machine integers" in assumptions(proved)


def test_unbounded_integers_are_an_assumption_each_time() -> None:
    verifier = Verifier(Settings(unbounded=True))
    text = "int f(int x) {\n  return x + 1; }\nint g(int x) { return f(x); }"
    for _ in range(2):  # what was proved before is remembered with what it rests on
        result = verifier.verify(parse_text(text, "t.c"))
        assert [(p.line, p.column) for p in result.unbounded] == [(2, 10)]
        assert "integers fit at t.c:2:10" in assumptions(result)


def test_unbounded_integers_leave_other_errors() -> None:
    text, code, line = REJECTED["guard that wraps"]
    result = check(text, unbounded=True)
    assert result.problem is not None
    assert (result.problem.code, result.problem.loc.line) == (code, line)


def test_scripts_say_that_integers_are_assumed_to_fit(tmp_path: Path) -> None:
    source, target = tmp_path / "t.c", tmp_path / "out.c"
    source.write_text(
        '#include <optigpu.h>\nint f(int x) {\n  __ensures("_Res == x + 1");\n  return x + 1; }\n', encoding="utf-8"
    )
    with pytest.raises(og.StepError, match="OG336"):
        og.Script(source)
    og.Script(source, integers="unbounded").emit(target)
    ledger = json.loads(target.with_suffix(".cert.json").read_text(encoding="utf-8"))["ledger"]
    assert len(ledger["unbounded"]) == 1
    with pytest.raises(CallError, match="one of 'machine', 'unbounded', not 'int'"):
        og.Script(source, integers="int")


@pytest.mark.parametrize("op", ["+", "-", "*", "/"])
def test_arithmetic_in_place_is_for_numbers(op: str) -> None:
    """Of a truth value, nothing would say that what is computed fits."""
    with pytest.raises(InputError) as refused:
        check(f"int f(bool p, int n) {{\n  bool r = p; r {op}= n; return r ? 1 : 0; }}")
    assert (refused.value.diagnostic.code, refused.value.diagnostic.loc.line) == ("OG102", 3)
    assert check("int f(bool p, int n) { bool r = p; r = p || n != 0; return r ? 1 : 0; }").verdict is Verdict.VERIFIED
