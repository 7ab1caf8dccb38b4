"""Every subterm of a formula must be defined: a division by zero or the maximum of an empty range is an error."""

from __future__ import annotations

import pytest

from optigpu.check.verdict import FunctionResult, Verdict
from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_text
from optigpu.interp.refute import refute
from optigpu.report.verdict_text import render_function

READS = '__requires("A: int -> float"); __reads("a ~> Matrix1(n, A)");'
NUMBERS = "float x, float y, int n, int m"
ARRAY = "int n, float a[n]"

# name -> (parameters, clauses, the formula that is undefined, how its context excludes that): all are of a function that returns 1
TWINS: dict[str, tuple[str, str, str, str]] = {
    "division of reals": (NUMBERS, '__ensures("{}");', "0.0f / y == 0", "y != 0 ==> 0.0f / y == 0"),
    "division under &&": (NUMBERS, '__ensures("{} || n == n");', "0.0f / y == 0", "(y != 0 && 0.0f / y == 0)"),
    "division under ||": (NUMBERS, '__ensures("{}");', "y > 0 || 0.0f / y == 0", "y == 0 || 0.0f / y == 0"),
    "division in a choice": (NUMBERS, '__ensures("({}) == 0");', "y > 0 ? 0.0f : 0.0f / y", "y == 0 ? 0.0f : 0.0f / y"),
    "the wrong branch": (NUMBERS, '__ensures("({}) == 0");', "y == 0 ? 0.0f / y : 0.0f", "y == 0 ? 0.0f : 0.0f / y"),
    "division of integers": (NUMBERS, '__ensures("{}");', "n / m == n / m", "m > 3 ==> n / m == n / m"),
    "a remainder": (NUMBERS, '__ensures("{}");', "n % m == n % m", "m < 0 ==> n % m == n % m"),
    "a real division": (NUMBERS, '__ensures("{}");', "0 /. y =. 0", "y < 0 ==> 0 /. y =. 0"),
    "an exact division": (
        NUMBERS,
        '__ensures("{}");',
        "exact_div(n, 4) == exact_div(n, 4)",
        "n % 4 == 0 ==> exact_div(n, 4) == exact_div(n, 4)",
    ),
    "a square root": (NUMBERS, '__ensures("{}");', "sqrtf(x) == sqrtf(x)", "x > 2 ==> sqrtf(x) == sqrtf(x)"),
    "a root of -1": (NUMBERS, '__ensures("{}");', "sqrtf(-1.0f) == sqrtf(-1.0f)", "sqrtf(2.0f) == sqrtf(2.0f)"),
    "a logarithm": (NUMBERS, '__ensures("{}");', "x >= 0 ==> logf(x) == logf(x)", "x > 0 ==> logf(x) == logf(x)"),
    "a shift": (NUMBERS, '__ensures("{}");', "1 << n == 1 << n", "n >= 0 ==> 1 << n == 1 << n"),
    "bits": (NUMBERS, '__ensures("{}");', "(n & 1) == (n & 1)", "n >= 0 ==> (n & 1) == (n & 1)"),
    "a greatest": (
        ARRAY,
        READS + ' __ensures("{}");',
        "Max(i in 0..n, A(i)) == Max(i in 0..n, A(i))",
        "n > 0 ==> Max(i in 0..n, A(i)) == Max(i in 0..n, A(i))",
    ),
    "a least": (
        ARRAY,
        READS + ' __ensures("{}");',
        "Min(i in 0..n - 1, A(i)) == Min(i in 0..n - 1, A(i))",
        "n > 1 ==> Min(i in 0..n - 1, A(i)) == Min(i in 0..n - 1, A(i))",
    ),
    "an element": (ARRAY, READS + ' __ensures("{}");', "A(0) == A(0)", "n > 0 ==> A(0) == A(0)"),
    "below the first": (
        ARRAY,
        READS + ' __ensures("{}");',
        "n > 0 ==> A(-1) == A(-1)",
        "n > 0 ==> A(n - 1) == A(n - 1)",
    ),
    "a sum": (ARRAY, READS + ' __ensures("{}");', "Sum(i in 0..n + 1, 0 * A(i)) == 0", "Sum(i in 0..n, 0 * A(i)) == 0"),
    "all elements": (
        ARRAY,
        READS + ' __ensures("{}");',
        "forall (i: int) -> A(i) == A(i)",
        "forall (i: int) (h: 0 <= i) (g: i < n) -> A(i) == A(i)",
    ),
    "in a precondition": (ARRAY, READS + ' __requires("{}");', "A(0) > 1", "n > 0 ==> A(0) > 1"),
    "a precondition above": (NUMBERS, '__requires("{}"); __ensures("x / y == x / y");', "y >= 0", "y > 0"),
    "one below": (NUMBERS, '__requires("x / y > 1"); __requires("{}");', "y >= 0", "y > 0"),
    "each other's": (
        NUMBERS,
        '__requires("{}"); __requires("1.0f / y > 0 && x > 0");',
        "1.0f / x > 0 && y > 0",
        "x > 0 && y > 0",
    ),
    "its own": (NUMBERS, '__requires("{}");', "x / y > 1 && y > 0", "y > 0 && x / y > 1"),
    "in a size": (
        "int n, int m, float a[n]",
        '__reads("for i in 0..1 -> If({}, &a[0] ~> Cell)");',
        "n / m > 0",
        "n > 0",
    ),
    "in an argument": (NUMBERS, '__ensures("{}");', "max(0.0f / y, 0.0f) == 0", "y < -1 ==> max(0.0f / y, 0.0f) == 0"),
    "an index that is a choice": (
        "float a[32]",
        '__requires("A: int -> float"); __reads("a ~> Matrix1(32, A)"); __ensures("forall t in 0..32 -> {0} == {0}");',
        "A(t % 2 == 0 ? t + 1 : t - 2)",
        "A(t % 2 == 0 ? t + 1 : t - 1)",
    ),
    "in an element's index": (ARRAY, READS + ' __ensures("n > {} == A(n / n)");', "0 ==> A(n / n)", "1 ==> A(n / n)"),
}


def only(text: str) -> FunctionResult:
    return Verifier(Settings(refuter=refute)).verify(parse_text(text, "f.c")).functions[-1]


def function(parameters: str, clauses: str, formula: str) -> str:
    return f"int f({parameters}) {{\n  {clauses.replace('{}', formula).replace('{0}', formula)}\n  return 1;\n}}\n"


@pytest.mark.parametrize("name", TWINS)
def test_a_context_that_excludes_it_is_enough(name: str) -> None:
    parameters, clauses, _, good = TWINS[name]
    result = only(function(parameters, clauses, good))
    assert result.problem is None or result.problem.code != "OG361", render_function(result)


@pytest.mark.parametrize("name", TWINS)
def test_a_part_without_a_value_is_an_error_at_its_place(name: str) -> None:
    parameters, clauses, bad, _ = TWINS[name]
    result = only(function(parameters, clauses, bad))
    assert result.verdict is Verdict.UNPROVED
    assert result.problem is not None
    assert (result.problem.code, result.problem.loc.line) == ("OG361", 2)
    assert "help: " in render_function(result)


def test_the_place_is_that_of_the_part() -> None:
    text = 'float f(float x, float y) { __ensures("_Res == x + 0.0f / y"); return x; }'
    result = only(text)
    assert result.problem is not None
    loc = result.problem.loc
    assert text[loc.column - 1 : loc.end_column - 1] == "0.0f / y"


STENCIL = """void f(int n, float a[n], float b[n]) {{
  __requires("A: int -> float"); __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, fun i -> {})");
  for (int i = 0; i < n; i++) {{ if (i {} ) b[i] = a[i {} 1]; else b[i] = 0; }}
}}"""


def test_a_model_is_read_inside_its_array() -> None:
    assert only(STENCIL.format("i > 0 ? A(i - 1) : 0", "> 0", "-")).verdict is Verdict.VERIFIED
    assert only(STENCIL.format("i < n - 1 ? A(i + 1) : 0", "< n - 1", "+")).verdict is Verdict.VERIFIED
    for outside in ("i > 0 ? A(i + 1) : 0", "i < n ? A(i + 1) : 0", "A(i - 1) - A(i - 1)"):
        result = only(STENCIL.format(outside, "> 0", "-"))
        assert result.problem is not None and (result.problem.code, result.problem.loc.line) == ("OG361", 3)


def test_a_model_of_two_arrays_has_the_cells_of_both() -> None:
    text = """void f(int n, float a[n], float b[8]) {{
      __requires("A: int -> float, n <= 8"); __reads("a ~> Matrix1(n, A)"); __reads("b ~> Matrix1(8, A)");
      __ensures("A({0}) == A({0})");
    }}"""
    assert only(text.format(7)).verdict is Verdict.VERIFIED
    assert only(text.format(8)).verdict is Verdict.UNPROVED


def test_cells_one_by_one_make_a_model_too() -> None:
    text = """void f(int n, float a[n][n]) {{
      __requires("A: int * int -> float"); __reads("for i in 0..n -> for j in 0..i -> &a[j][i] ~~> A(i, j)");
      __ensures("n > 3 ==> A({0}) == A({0})");
    }}"""
    assert only(text.format("3, 2")).verdict is Verdict.VERIFIED
    assert only(text.format("2, 3")).verdict is Verdict.UNPROVED


@pytest.mark.parametrize(
    "clauses",
    [
        '__requires("A: int -> float, n > 0, A(n + 5) > 0");',  # no array has it
        '__requires("A: int -> float"); __reads("a ~> Matrix1(n, fun i -> 2 * A(i))"); __ensures("A(n) == A(n)");',
        '__requires("A: int -> float"); __reads("for i in 0..n -> &a[i] ~~> A(2 * i)"); __ensures("A(n) == A(n)");',
    ],
)
def test_a_function_that_is_no_array_has_values_everywhere(clauses: str) -> None:
    assert only(f"void f(int n, float a[n]) {{ {clauses} }}").verdict is Verdict.VERIFIED


DEFINED = """__DEF(ratio, "fun (B: int -> float) (i: int) -> B(i) / B(i + 1)");
__DEF(twice, "fun (B: int -> float) (i: int) -> ratio(B, i) + ratio(B, i)");
void f(int n, float a[n]) {{
  __requires("A: int -> float"); __requires("forall i in 0..n -> A(i) > 0"); __reads("a ~> Matrix1(n, A)");
  __ensures("n > 4 ==> {0} == {0}");
}}"""


def test_a_definition_has_a_value_where_it_is_used() -> None:
    assert only(DEFINED.format("ratio(A, 3)")).verdict is Verdict.VERIFIED
    assert only(DEFINED.format("twice(A, 3)")).verdict is Verdict.VERIFIED
    for outside in ("ratio(A, 4)", "twice(A, 4)", "twice(A, -1)", "ratio(fun i -> 0.0f, 2)"):
        result = only(DEFINED.format(outside))
        assert result.problem is not None
        assert (result.problem.code, result.problem.loc.line) == ("OG361", 5)
        assert "in this definition" in render_function(result)


def test_a_function_that_is_an_argument_has_a_value_where_it_is_applied() -> None:
    assert only(DEFINED.format("ratio(fun i -> A(i + 1), 2)")).verdict is Verdict.VERIFIED
    assert only(DEFINED.format("twice(fun i -> A(i + 1), 2)")).verdict is Verdict.VERIFIED
    result = only(DEFINED.format("ratio(fun i -> A(i + 1), 3)"))
    assert result.problem is not None and result.problem.code == "OG361"
    declared = '__DECL(total, "(int -> float) -> float");\n' + DEFINED.split("\n", 2)[2]
    assert only(declared.format("total(fun i -> A(i + 1))")).verdict is Verdict.VERIFIED


def test_a_definition_is_the_contents_of_an_array() -> None:
    text = """__DEF(share, "fun (i: int) -> 1.0f / (i - {})");
    void f(int n, float b[n]) {{ __writes("b ~> Matrix1(n, share)"); for (int i = 0; i < n; i++) b[i] = 1.0f / (i + 1); }}"""
    assert only(text.format("-1")).verdict is Verdict.VERIFIED
    result = only(text.format("1"))
    assert result.problem is not None and result.problem.code == "OG361"


def test_an_axiom_means_something() -> None:
    text = '__DECL(g, "float -> float"); __AXIOM(one, "forall (x: float) {} -> x * (1 / x) == 1"); void f(int n) {{ }}'
    assert only(text.format("(h: x != 0)")).verdict is Verdict.VERIFIED
    result = only(text.format(""))  # which is false at zero: from it, everything would follow
    assert result.problem is not None and result.problem.code in ("OG360", "OG361")


ASSERTION = """float f(float x, int n, float a[n]) {{
  __requires("A: int -> float"); __reads("a ~> Matrix1(n, A)");
  if (x > 0) {{
    __ASSERT("{0} == {0}");
  }}
  return 0;
}}"""


@pytest.mark.parametrize(
    ("good", "bad"), [("logf(x)", "logf(x - 1)"), ("(n > 2 ? A(2) : 0)", "A(2)"), ("1 / x", "1 / (x - 1)")]
)
def test_an_assertion_means_something_where_it_stands(good: str, bad: str) -> None:
    assert only(ASSERTION.format(good)).verdict is Verdict.VERIFIED
    result = only(ASSERTION.format(bad))
    assert result.problem is not None and (result.problem.code, result.problem.loc.line) == ("OG361", 4)


def test_a_chain_of_definitions_is_looked_at_once() -> None:
    """Each of forty definitions uses the one before it twice: that is not looked at 2^40 times."""
    lines = ['__DEF(d0, "fun (x: float) -> 1 / x");']
    lines += [f'__DEF(d{i}, "fun (x: float) -> d{i - 1}(x) + d{i - 1}(x)");' for i in range(1, 41)]
    lines.append('void f(float x) { __requires("x > 0"); __ensures("d40(x) == d40(x)"); }')
    assert only("\n".join(lines)).verdict is Verdict.VERIFIED
    assert only("\n".join(lines).replace("x > 0", "x >= 0")).verdict is Verdict.UNPROVED
