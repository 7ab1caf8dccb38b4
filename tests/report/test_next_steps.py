"""What a message says beside the error: the clause that is missing, where values differ, all facts, and what to try next."""

from __future__ import annotations

import pytest

import optigpu as og
from optigpu.check.verdict import Verdict
from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_text
from optigpu.interp.refute import refute
from optigpu.logic import terms as k
from optigpu.logic.terms import INT, REAL, fun_sort, var
from optigpu.report.term_differences import smallest_difference
from optigpu.report.verdict_text import combined
from optigpu.script.step_errors import StepError
from optigpu.syntax.diagnostic import Diagnostic, InputError

COPY = """void f(int n, float a[n], float y[n]) {{
  {contract}
  for (int i = 0; i < n; i++) y[i] = a[i];
}}
"""


def told(text: str, *, refuted: bool = False) -> Diagnostic:
    """The diagnostic of a program that is not verified."""
    settings = Settings(refuter=refute) if refuted else Settings()
    result = Verifier(settings).verify(parse_text(text, "x.c"))
    bad = next(f for f in result.functions if f.verdict is not Verdict.VERIFIED)
    return combined(bad)


def note(d: Diagnostic, name: str) -> str:
    return dict(d.notes).get(name, "")


@pytest.mark.parametrize("refuted", [False, True])
@pytest.mark.parametrize(
    ("contract", "code", "column", "help_"),
    [
        ('__writes("y ~> Cells1(n)");', "OG302", 38, '__reads("a ~> Cells1(n)"), or __preserves if it is written'),
        ('__reads("a ~> Cells1(n)");', "OG303", 31, '__writes("y ~> Cells1(n)")'),
        ('__reads("a ~> Cells1(n), y ~> Cells1(n)");', "OG303", 31,
         '__consumes("y ~> …") and __produces("y ~> …") instead of __reads'),
    ],
)  # fmt: skip
def test_a_clause_that_is_missing_is_named(contract: str, code: str, column: int, help_: str, refuted: bool) -> None:
    d = told(COPY.format(contract=contract), refuted=refuted)
    assert (d.code, d.loc.line, d.loc.column, d.help) == (code, 3, column, help_)


def test_a_bound_that_is_wrong_is_no_missing_clause() -> None:
    text = COPY.format(contract='__reads("a ~> Cells1(n)"), __writes("y ~> Cells1(n)");').replace("i < n", "i <= n")
    d = told(text.replace('"), __writes', '"); __writes'))
    assert d.code == "OG302" and d.help is not None and d.help.startswith("compare the loop's bounds")


PARTS = """void f(int n, float a[n], float y[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("y ~> Matrix1(n, A)");
  for (int i = 0; i < n; i++) y[i] = a[i];
}
"""


def test_a_contract_is_not_asked_to_speak_of_a_loop_index() -> None:
    s = og.Script(parse_text(PARTS, "x.c"))
    s.loop.tile("i", 32, tail="min")
    with pytest.raises(StepError) as error:
        s.loop.tile("i", 8)
    assert error.value.failed is not None
    d = combined(error.value.failed)
    assert d.code == "OG311" and d.help is not None and "no __requires can speak of bi" in d.help
    with pytest.raises(StepError) as error:
        og.Script(parse_text(PARTS, "x.c")).loop.tile("i", 8)
    assert (
        error.value.failed is not None
        and combined(error.value.failed).help == '__requires("n % 8 == 0"), or in a script tail="guard"'
    )


def test_a_sum_of_the_host_in_a_kernel_is_told_with_the_step() -> None:
    text = PARTS.replace("float y[n]) {", "float y[1]) {").replace("y ~> Matrix1(n, A)", "y ~> Cells1(1)")
    text = text.replace(
        "for (int i = 0; i < n; i++) y[i] = a[i];", "float s = 0; for (int i = 0; i < n; i++) s += a[i]; y[0] = s;"
    )
    s = og.Script(parse_text(text, "x.c"))
    s.loop.tile("i", 32, tail="guard")
    with pytest.raises(InputError) as error:
        s.gpu.launch(grid=["bi"], block=["i"])
    assert (
        error.value.diagnostic.help
        == 's.reduce.parts("bi", var="s", parts="parts"): each iteration gets a part of the sum'
    )


LONG = """void f(int n, float a[n], float b[n], float y[n]) {
  __requires("A: int -> float, B: int -> float");
  __reads("a ~> Matrix1(n, A), b ~> Matrix1(n, B)");
  __writes("y ~> Matrix1(n, fun i -> Sum(k in 0..n, A(k) * B(k)) + A(i) * B(i) + expf(A(i) + B(i) + expf(B(i))) + 3 * B(i))");
  for (int i = 0; i < n; i++) {
    float s = 0;
    for (int k = 0; k < n; k++) s += a[k] * b[k];
    y[i] = s + a[i] * b[i] + expf(a[i] + b[i] + expf(2 * b[i])) + 3 * b[i];
  }
}
"""


def test_of_long_values_the_parts_that_differ_are_named() -> None:
    assert note(told(LONG), "differ") == "B(i) is needed where there is 2 * B(i)"
    short = PARTS.replace("y[i] = a[i]", "y[i] = 2 * a[i]")
    assert note(told(short), "need") == "A(i)" and not note(told(short), "differ")


A = var("A", fun_sort((INT, INT), REAL))
X, Y = var("x", INT), var("y", INT)


def test_differences_are_found_under_binders_and_in_products() -> None:
    x, y = k.app(A, X, Y), k.app(A, Y, X)
    assert smallest_difference(k.mul(x, x, y), k.mul(x, y, y)) == (x, y)
    assert smallest_difference(x, x) == (x, x)
    inner = k.bound(0, INT)
    sums = [k.big("sum", k.ZERO, X, k.app(A, *args)) for args in ((inner, X), (inner, Y))]
    assert smallest_difference(*sums) == (X, Y)
    assert smallest_difference(k.add(x, y), k.add(x, k.num(1, REAL))) == (y, k.num(1, REAL))


MANY = """void f(int n, int m) {
  __requires("F: int -> int, n > 0");
  __requires("n > 1 || m > 1, n > 2 || m > 2, n > 3 || m > 3, n > 4 || m > 4, n > 5 || m > 5, n > 6 || m > 6, n > 7 || m > 7");
  __requires("forall k in 0..n, F(k) + F(k + 1) + F(k + 2) + F(k + 3) + F(k + 4) + F(k + 5) + F(k + 6) + F(k + 7) >= 0");
  __ASSERT("F(n) >= 0");
}
"""


def test_no_fact_about_the_goal_is_left_out() -> None:
    given = note(told(MANY), "given")
    assert all(f"{c} < n" in given for c in range(1, 8)) and "F(k + 7)" in given and "more" not in given
    many = "".join(f"n > {c} || m > {c}, " for c in range(8, 50))
    assert note(told(MANY.replace("n > 1 ||", f"{many}n > 1 ||")), "given").endswith(" more")


def test_an_unproved_goal_about_a_universal_fact_has_a_next_step() -> None:
    assert "all values of F may be needed at other terms" in note(told(MANY), "next")
    assert not note(told(MANY.replace("F(n) >= 0", "m >= 0")), "next")
    d = told(MANY.replace("F(n) >= 0", "F(0) == F(0) + 1"), refuted=True)
    assert not note(d, "next") or "witness" not in dict(d.notes)
