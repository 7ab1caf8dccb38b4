"""Safety never rests on floats being reals: comparisons and conversions of floats are left open where bounds, races, barriers,
initialisation and integers are concerned. What is computed is proved over the reals."""

from __future__ import annotations

import json

import pytest

from optigpu.check.audit import audit
from optigpu.check.certificate import sealed
from optigpu.check.certify import certificate_of
from optigpu.check.verdict import ProgramResult, Verdict
from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_text
from optigpu.report.verdict_text import render_function
from optigpu.solver.z3_solver import Z3Solver
from tests.support.verdicts import verdict_of


def check(text: str) -> ProgramResult:
    return Verifier(Settings()).verify(parse_text(f"#include <optigpu.h>\n{text}", "t.c"))


ARRAY = '__requires("X: int -> float"); __reads("x ~> Matrix1(n, X)");'
ACCEPTED = {
    "clip": """void f(int n, float x[n]) { __requires("X: int -> float"); __consumes("x ~> Matrix1(n, X)");
  __produces("x ~> Matrix1(n, fun i -> X(i) < 0.0f ? 0.0f : X(i))");
  for (int i = 0; i < n; i++) if (x[i] < 0.0f) x[i] = 0.0f; }""",
    "flags": f"""void f(int n, float x[n], int y[n]) {{ {ARRAY} __writes("y ~> Matrix1(n, fun i -> X(i) < 0.0f ? 1 : 0)");
  for (int i = 0; i < n; i++) {{ y[i] = 0; if (x[i] < 0.0f) y[i] = 1; }} }}""",
    "count": f"""int f(int n, float x[n]) {{ {ARRAY} __ensures("_Res == Sum(i in 0..n, X(i) > 0.0f ? 1 : 0)");
  int c = 0; for (int i = 0; i < n; i++) if (x[i] > 0.0f) c++; return c; }}""",
    "index within bounds whatever the comparison says": """void f(float x, int a[2]) { __writes("a ~> Cells1(2)");
  a[0] = 0; a[1] = 0; a[x > 0.5f ? 1 : 0] = 7; }""",
    "promise that callers may use": """int g(float x) { __ensures("0 <= _Res, _Res < 2");
  int r = 0; if (x > 0.5f) r = 1; return r; }
void f(float x, int a[2]) { __writes("a ~> Cells1(2)"); a[0] = 0; a[1] = 0; a[g(x)] = 7; }""",
    "result over the reals": """int f(float x) { __ensures("_Res == 1"); int r = 0; if (x < 1.0f) r = 1; if (x >= 1.0f) r = 1;
  return r; }""",
    "conversion that is exact": """void f(int n, int a[n]) { __requires("n <= 16777216"); __writes("a ~> Cells1(n)");
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[(int)(float)i] = i; }""",
    "conversion by double": """void f(int n, int a[n]) { __writes("a ~> Cells1(n)");
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[(int)(double)i] = i; }""",
    "guarded conversion": """void f(float x, int a[4]) { __writes("a ~> Cells1(4)");
  for (int i = 0; i < 4; i++) a[i] = 0;
  const int k = (int)x; if (0 <= k && k < 4) a[k] = 1; }""",
    "definition about reals that bounds no index": """__DEF(P, "fun (x: float) (k: int) -> x == k && x <= 3.0f");
void f(float x, int k, int a[4]) { __requires("P(x, k), 0 <= k, k < 4"); __writes("a ~> Cells1(4)");
  for (int i = 0; i < 4; i++) a[i] = 0; a[k] = 1; }""",
    "admitted function of floats, in bounds whatever it returns": """__DECL(F, "float -> int");
int g(float x) { __ensures("_Res == F(x), 0 <= _Res, _Res < 4"); __admitted(); return 0; }
void f(float x, float y, int a[4]) { __writes("a ~> Cells1(4)"); for (int i = 0; i < 4; i++) a[i] = 0;
  a[g(x + y - y)] = 1; }""",
    "contents that a float decides, and a guard": """void f(float x[1], int p[1], int a[1]) { __requires("X: float");
  __reads("&x[0] ~~> X"); __reads("&p[0] ~~> (X < 1.0f ? 1 : 0)"); __writes("&a[0] ~~> 5");
  a[0] = 5; if (p[0] == 0) a[p[0]] = 5; }""",
    "fact about reals that only the result needs": """float f(float x) { __requires("x > 0.0f"); __ensures("_Res > 0.0f");
  return x / 2.0f; }""",
}
REJECTED = {
    "conversion that two threads round alike": (
        """void f(int n, int a[n]) { __writes("a ~> Cells1(n)");
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[(int)(float)i] = i; }""",
        ("OG324", "OG326", "OG302"), 4,
    ),
    "neither less nor greater": (
        """void f(float x, int a[4]) { __writes("a ~> Cells1(4)"); for (int i = 0; i < 4; i++) a[i] = 0;
  const bool lt = x < 1.0f; const bool ge = x >= 1.0f;
  int k = 1000000; if (lt) k = 0; if (ge) k = 1;
  a[k] = 1; }""",
        ("OG302",), 5,
    ),
    "two ways of rounding": (
        """void f(float a, float b, float c, int y[1]) { __writes("y ~> Cells1(1)"); y[0] = 0;
  const bool p = (a + b) + c < 1.0f; const bool q = a + (b + c) < 1.0f;
  if (p && !q) y[-1] = 3; }""",
        ("OG302",), 4,
    ),
    "written only if a comparison is true": (
        f"""void f(int n, float x[n], int y[n]) {{ {ARRAY} __requires("all_neg: forall i in 0..n -> X(i) < 0.0f");
  __writes("y ~> Matrix1(n, fun i -> 1)");
  for (int i = 0; i < n; i++) if (x[i] < 0.0f) y[i] = 1; }}""",
        ("OG306",), 3,
    ),
    "divisor that a comparison decides": (
        """int f(float x) { const int d = x < 1.0f ? 1 : (x >= 1.0f ? 2 : 0);
  const int q = 6 / d; return 0; }""",
        ("OG310",), 3,
    ),
    "promise that holds over the reals alone": (
        """int g(float x) { __ensures("_Res == 1"); int r = 0; if (x < 1.0f) r = 1; if (x >= 1.0f) r = 1; return r; }
void f(float x, int a[2]) { __writes("a ~> Cells1(2)"); a[0] = 0; a[1] = 0;
  a[2 * g(x) - 1] = 7; }""",
        ("OG302",), 4,
    ),
    "contents that hold over the reals alone": (
        """void f(int n, int a[n], int b[n]) { __requires("n > 0"); __writes("a ~> Cells1(n)"); __writes("b ~> Cells1(n)");
  for (int i = 0; i < n; i++) { a[i] = (int)(float)i; b[i] = 0; }
  for (int i = 0; i < n; i++) b[a[i]] = 1; }""",
        ("OG302",), 4,
    ),
    "fact about reals that bounds an index": (
        """void f(float x, int k, int a[4]) { __requires("x == k, x >= 0.0f, x <= 3.0f"); __writes("a ~> Cells1(4)");
  for (int i = 0; i < 4; i++) a[i] = 0;
  a[k] = 1; }""",
        ("OG302",), 4,
    ),
    "definition about reals that bounds an index": (
        """__DEF(P, "fun (x: float) (k: int) -> x == k && x >= 0.0f && x <= 3.0f");
void f(float x, int k, int a[4]) { __requires("P(x, k)"); __writes("a ~> Cells1(4)");
  for (int i = 0; i < 4; i++) a[i] = 0;
  a[k] = 1; }""",
        ("OG302",), 5,
    ),
    "results of an admitted function of floats": (
        """__DECL(F, "float -> int");
int g(float x) { __ensures("_Res == F(x)"); __admitted(); return 0; }
void f(float x, float y, int a[1]) { __writes("a ~> Cells1(1)"); a[0] = 0;
  a[g(x + y - y) - g(x)] = 1; }""",
        ("OG302",), 5,
    ),
    "contents from an admitted function of floats": (
        """__DECL(F, "float -> int");
void g(float x, int b[1]) { __writes("b ~> Matrix1(1, fun i -> F(x))"); __admitted(); }
void f(float x, float y, int b[1], int c[1], int a[1]) {
  __writes("a ~> Cells1(1)"); __writes("b ~> Cells1(1)"); __writes("c ~> Cells1(1)"); a[0] = 0; g(x + y - y, b); g(x, c);
  a[b[0] - c[0]] = 1; }""",
        ("OG302",), 6,
    ),
    "counter that a comparison may leave behind": (
        """void f(float x, int a[1]) { __writes("a ~> Cells1(1)"); a[0] = 0;
  int c = 1; if (x < 0.0f) c = 0; if (!(x < 0.0f)) c = 0;
  a[c] = 1; }""",
        ("OG302",), 4,
    ),
    "contents that a float decides": (
        """void f(float x[1], int p[1], int q[1], int a[1]) { __requires("X: float"); __reads("&x[0] ~~> X");
  __reads("&p[0] ~~> (X < 1.0f ? 1 : 0)"); __reads("&q[0] ~~> (X >= 1.0f ? 1 : 0)"); __writes("&a[0] ~~> 5");
  a[p[0] + q[0] - 1] = 5; }""",
        ("OG302",), 4,
    ),
    "truth of a float": (
        """void f(float x, int a[1]) { __writes("a ~> Cells1(1)"); a[0] = 0;
  const bool t = x != 0.0f; const bool u = x == 0.0f;
  a[t == u ? 5 : 0] = 1; }""",
        ("OG302",), 4,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_is_safe_whatever_floats_are_is_accepted(name: str) -> None:
    result = check(ACCEPTED[name])
    assert result.verified, "\n".join(map(render_function, result.functions))


@pytest.mark.parametrize("name", REJECTED)
def test_what_is_safe_over_the_reals_alone_is_rejected(name: str) -> None:
    text, codes, line = REJECTED[name]
    result = check(text).functions[-1]
    assert result.verdict is not Verdict.VERIFIED
    assert result.problem is not None
    assert result.problem.code in codes, render_function(result)
    assert result.problem.loc.line == line, render_function(result)
    assert "over the reals" in render_function(result)


@pytest.mark.parametrize(
    "k",
    [
        "(bool)(0.7f * 10.0f - 7.0f)",
        "(int)(0.7f * 10.0f)",
        "7 * (16777216.0f + 1.0f > 16777216.0f)",
        "3 - (0.5f < 1)",
    ],
)
def test_a_macro_that_rests_on_the_rounding_of_floats_is_rejected(k: str) -> None:
    (result,) = check(f'#define K ({k})\nvoid f(int a[8]) {{ __writes("a ~> Cells1(8)");\n  a[K] = 1; }}').functions
    assert result.verdict is Verdict.UNSUPPORTED
    assert result.problem is not None
    assert (result.problem.code, result.problem.loc.line) == ("OG300", 2), render_function(result)


def test_no_cells_are_held_because_of_what_a_float_is() -> None:
    held = "for i in 0..((X < 1.0f ? 1 : 0) + (X >= 1.0f ? 1 : 0)) -> &a[i]"
    (result,) = check(f"""void f(float x[1], int *a) {{ __requires("X: float"); __reads("&x[0] ~~> X");
  __consumes("{held} ~> UninitCell"); __produces("{held} ~~> 5"); a[0] = 5; }}""").functions
    assert result.verdict is Verdict.UNSUPPORTED
    assert result.problem is not None
    assert (result.problem.code, result.problem.loc.line) == ("OG300", 3), render_function(result)


def test_a_macro_of_floats_may_be_rounded() -> None:
    text = '#define K (0.7f * 10.0f - 7.0f)\nfloat f(float x) { __ensures("_Res == K * x"); return K * x; }'
    assert check(text).verified


def test_wrong_results_are_still_rejected_over_the_reals() -> None:
    assert verdict_of(ACCEPTED["count"].replace("c++", "c += 2")) == "OG336 2:59"


def test_the_certificate_has_both_proofs_and_what_was_left_out() -> None:
    program = parse_text(f"#include <optigpu.h>\n{ACCEPTED['result over the reals']}", "t.c")
    text = certificate_of(program, Verifier(Settings()).verify(program))
    assert not audit(program, text, Z3Solver()).failures
    data = json.loads(text)
    assert set(data["proofs"]) == {"f", "f.open"}
    assert data["ledger"]["without"] == [["f.open", "ensures", 1]]
    missing = dict(data, proofs={"f": data["proofs"]["f"]})
    assert audit(program, sealed(missing), Z3Solver()).failures
    stronger = dict(data, ledger={**data["ledger"], "without": []})
    assert audit(program, sealed(stronger), Z3Solver()).failures


ASSERTED = """int f(float x, int a[2]) {{ __writes("a ~> Cells1(2)"); a[0] = 0; a[1] = 0;
  int r = 0; if (x < 1.0f) r = 1;
  __ASSERT("0 <= r, r <= 1");
  if (x >= 1.0f) r = 1;
  __ASSERT("r == 1");
  int s = 0; if (x < 2.0f) s = 1;
  __ASSERT("0 <= s, s <= 1");
  if (x >= 2.0f) s = 1;
  __ASSERT("s == 1");
  a[{index}] = 7;
  return s; }}"""


def test_several_assertions_about_reals_are_left_out() -> None:
    """Each by its number in the whole function: those before it may be left out already."""
    program = parse_text(f"#include <optigpu.h>\n{ASSERTED.format(index='s')}", "t.c")
    result = Verifier(Settings()).verify(program)
    assert result.verified
    opened = result.functions[0].opened
    assert opened is not None
    assert opened.left_out == (("f.open", "assert", 2), ("f.open", "assert", 5))
    assert not audit(program, certificate_of(program, result), Z3Solver()).failures


def test_an_assertion_that_is_left_out_bounds_no_index() -> None:
    (result,) = check(ASSERTED.format(index="2 - s")).functions  # within bounds if s is 1
    assert result.verdict is not Verdict.VERIFIED
    assert result.problem is not None and result.problem.floats_open


def test_functions_in_which_floats_decide_nothing_are_proved_once() -> None:
    (result,) = check("float f(float x) { return x * 2.0f; }").functions
    assert result.opened is None
