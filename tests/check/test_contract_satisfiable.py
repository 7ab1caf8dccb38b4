"""A precondition that no input satisfies proves anything: it is an error, shown with the clauses that contradict each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from optigpu.check.audit import audit
from optigpu.check.certify import certificate_of
from optigpu.check.contract_checks import contract_facts, contradiction
from optigpu.check.verdict import FunctionResult, Verdict
from optigpu.check.verify import Settings, Verifier
from optigpu.cli import main
from optigpu.elaborate.program_elaboration import elaborate
from optigpu.frontend import parse_text
from optigpu.interp.refute import refute
from optigpu.logic.facts import Facts
from optigpu.logic.judge import ObligationJudge
from optigpu.report.problem_text import diagnostic_of
from optigpu.search.advice import SearchGuide
from optigpu.solver.z3_solver import Z3Solver

# name -> (parameters, clauses, what changes, into what): the first contract has an input, the second has none
TWINS: dict[str, tuple[str, str, str, str]] = {
    "bounds": ("int x", '__requires("x > 3"); __requires("x < 5");', "x < 5", "x < 2"),
    "strictly between": ("int n", '__requires("0 < n"); __requires("n < 2");', "n < 2", "n < 1"),
    "one clause": ("int n", '__requires("0 < n && n < 2");', "n < 2", "n < 1"),
    "divisibility": ("int n", '__requires("n % 32 == 0"); __requires("n == 64");', "64", "17"),
    "two remainders": ("int n", '__requires("n % 4 == 1"); __requires("n % 2 == 1");', "n % 2 == 1", "n % 2 == 0"),
    "type of a byte": ("uint8_t x", '__requires("x == 255");', "255", "300"),
    "type of an int8": ("int8_t x", '__requires("x <= -128");', "-128", "-129"),
    "unsigned": ("unsigned x", '__requires("x <= 0");', "x <= 0", "x < 0"),
    "largest int": ("int n", '__requires("n >= INT_MAX");', "n >= INT_MAX", "n > INT_MAX"),
    "largest float": ("float x", '__requires("x > 1e38");', "1e38", "1e39"),
    "size of an array": ("int n, float a[n]", '__requires("n <= 0");', "n <= 0", "n < 0"),
    "size that is claimed": (
        "int n, float a[8]",
        '__requires("n <= 0"); __reads("a ~> Cells1(n)");',
        "n <= 0",
        "n < 0",
    ),
    "inner size": ("int n, float a[4][n + 1]", '__requires("n <= 0");', "n <= 0", "n < -1"),
    "size in memory": (
        "int64_t n, float a[n]",
        '__requires("n >= 35184372088832"); __reads("a ~> Cells1(n)");',
        "35184372088832",
        "35184372088833",
    ),
    "sizes in memory": (
        "int64_t n, int64_t m, double a[n][m]",
        '__requires("n * m >= 17592186044416"); __reads("a ~> Cells2(n, m)");',
        "17592186044416",
        "17592186044417",
    ),
    "a part of an array in memory": (
        "int64_t n, int64_t m, uint8_t a[n]",
        '__requires("0 <= m"); __requires("m >= 140737488355328"); __requires("m <= n"); __reads("a ~> Cells1(m)");',
        "140737488355328",
        "140737488355329",
    ),
    "linear": ("int n, int m", '__requires("n == 2 * m"); __requires("n + m == 6");', "== 6", "== 7"),
    "reals": ("float x", '__requires("x > 0"); __requires("x * 2 > x");', "x * 2 > x", "x * 2 < x"),
    "all elements": (
        "int n, int a[n]",
        '__requires("A: int -> int"); __reads("a ~> Matrix1(n, A)"); __requires("n > 0");'
        ' __requires("forall i in 0..n -> A(i) > 3"); __requires("forall i in 0..n -> A(i) < 5");',
        "< 5",
        "< 2",
    ),
    "one element": (
        "int n, int a[n]",
        '__requires("A: int -> int"); __reads("a ~> Matrix1(n, A)"); __requires("n > 5");'
        ' __requires("forall (i: int) (h: 0 <= i && i < n) -> A(i) > 3"); __requires("A(5) < 5");',
        "< 5",
        "< 2",
    ),
    "elements of a type": (
        "int n, unsigned a[n]",
        '__requires("A: int -> int"); __reads("a ~> Matrix1(n, A)"); __requires("n > 2"); __requires("A(2) <= 0");',
        "A(2) <= 0",
        "A(2) < 0",
    ),
    "contents that no element has": ("uint8_t a[4]", '__reads("a ~> Matrix1(4, fun i -> 255)");', "255", "256"),
    "contents said twice": (
        "int a[4]",
        '__reads("a ~> Matrix1(4, fun i -> i)"); __reads("a ~> Matrix1(4, fun i -> 0 + i)");',
        "0 + i",
        "1 + i",
    ),
    "a logical number": (
        "int n",
        '__requires("k: int"); __requires("n == 4 * k"); __requires("n == 8");',
        "== 8",
        "== 6",
    ),
}


def first(text: str) -> FunctionResult:
    return Verifier(Settings(refuter=refute)).verify(parse_text(text, "f.c")).functions[-1]


def function(parameters: str, clauses: str, result: int) -> str:
    return f'int f({parameters}) {{\n  {clauses}\n  __ensures("_Res == 1");\n  return {result};\n}}\n'


@pytest.mark.parametrize("name", TWINS)
def test_a_precondition_with_an_input_proves_what_is_so(name: str) -> None:
    parameters, clauses, _, _ = TWINS[name]
    assert first(function(parameters, clauses, 1)).verdict is Verdict.VERIFIED
    assert first(function(parameters, clauses, 2)).verdict is not Verdict.VERIFIED


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("result", [1, 2])
def test_a_precondition_without_an_input_proves_nothing(name: str, result: int) -> None:
    parameters, clauses, old, new = TWINS[name]
    assert clauses.count(old) == 1
    function_result = first(function(parameters, clauses.replace(old, new), result))
    assert function_result.verdict is Verdict.UNPROVED
    assert function_result.problem is not None
    assert (function_result.problem.code, function_result.problem.loc.line) == ("OG360", 2)
    assert diagnostic_of(function_result.problem).help


def core(text: str) -> list[tuple[str, int]] | None:
    program = parse_text(text, "f.c")
    elaborated = elaborate(program)
    preconditions = [s for s in contract_facts(elaborated, program.functions()[-1]) if not s.after]
    conflict = contradiction(ObligationJudge(Z3Solver(), Facts(SearchGuide())), preconditions)
    return None if conflict is None else [(s.text, s.loc.line) for s in conflict]


def test_only_what_contradicts_is_shown() -> None:
    text = """void f(int n, int m, unsigned k, float a[n]) {
      __requires("m > 0");
      __requires("n > 10");
      __requires("k > 7");
      __requires("n + k < 9");
      __requires("m < 100");
      __writes("a ~> Cells1(n)");
    }"""
    assert core(text) == [("n > 10", 3), ("k > 7", 4), ("n + k < 9", 5)]
    assert core(text.replace("k > 7", "k < 7")) == [("`k` is of type unsigned", 1), ("n > 10", 3), ("n + k < 9", 5)]
    assert core(text.replace("n + k < 9", "n + k > 9")) is None


EMPTY = """void f(int64_t n, float a[n]) {{
  __requires("n >= {least}");
  __writes("a ~> Matrix1(n, fun i -> 1.0f)");
}}
"""


def test_an_array_that_no_memory_has_is_shown_with_its_clause() -> None:
    function_result = first(EMPTY.format(least=70368744177664))
    assert function_result.verdict is Verdict.UNPROVED
    assert function_result.problem is not None
    assert (function_result.problem.code, function_result.problem.loc.line) == ("OG360", 2)
    assert [(loc.line, text) for loc, text in function_result.problem.labels] == [
        (3, "`a` lies in memory: it has at most 140737488355328 bytes")
    ]
    smaller = first(EMPTY.format(least=8))
    assert smaller.problem is not None and smaller.problem.code != "OG360"


def test_only_arrays_with_cells_need_memory() -> None:
    """The product of two negative sizes is positive, and nothing is known of an array that is not held."""
    large = '__requires("n * m >= 1125899906842624");'
    cells = '__reads("for i in 0..n -> for j in 0..m -> &a[i][j] ~> Cell");'
    parameters = "int64_t n, int64_t m, float a[9][9]"
    assert core(function(parameters, large, 1)) is None
    assert core(function(parameters, large + cells, 1)) is None
    clauses_in_conflict = core(function(parameters, '__requires("n >= 0, m >= 0");' + large + cells, 1))
    assert clauses_in_conflict is not None
    assert ("`a` lies in memory: it has at most 140737488355328 bytes", 2) in clauses_in_conflict


def test_axioms_count_too() -> None:
    text = '__DECL(p, "int -> int");\n__AXIOM(low, "forall (i: int) -> p(i) < 3");\n'
    text += 'int f(int n) {{ __requires("p(n) == {}"); __ensures("_Res == 1"); return 1; }}'
    assert first(text.format(2)).verdict is Verdict.VERIFIED
    function_result = first(text.format(3))
    assert function_result.problem is not None and function_result.problem.code == "OG360"
    assert any("the axiom low" in label for _, label in function_result.problem.labels)


def test_a_called_function_needs_a_precondition_with_an_input() -> None:
    text = """int g(int x) { __requires("x > 3"); __requires("x < 2"); __ensures("_Res == 7"); return 1; }
    int f(int x) { __ensures("_Res == 1"); int y = 1; if (x > 3) { if (x < 2) { y = g(x); } } return y; }"""
    result = Verifier().verify(parse_text(text, "f.c"))
    assert [r.verdict for r in result.functions] == [Verdict.UNPROVED, Verdict.UNPROVED]
    assert [r.problem.code for r in result.functions if r.problem is not None] == ["OG360", "OG330"]


def test_an_admitted_function_needs_one_too() -> None:
    text = """int g(int x) {{ __requires("x > 3"); __requires("x < {}"); __ensures("_Res == 7"); __admitted(); }}
    int f(int x) {{ __ensures("_Res == 1"); return 1; }}"""
    assert Verifier().verify(parse_text(text.format(5), "f.c")).verified
    result = Verifier().verify(parse_text(text.format(2), "f.c"))
    assert not result.verified
    assert {r.name: r.problem.code for r in result.functions if r.problem is not None} == {"g": "OG360"}


def test_a_device_function_is_for_a_block_that_can_be() -> None:
    text = """__device__ void f(float x[32]) {{
      __preserves("ThreadsCtx({0})"); __reads("KernelParams(_, {0}, _)"); __reads("x ~> Cells1(32)");
    }}"""
    assert first(text.format(1024)).verdict is Verdict.VERIFIED
    function_result = first(text.format(2048))
    assert function_result.problem is not None and function_result.problem.code == "OG360"


def test_a_lemma_needs_hypotheses_that_can_hold() -> None:
    text = """__GHOST(lemma) {{ __requires("x: int, x > 3, x < {}"); __ensures("x == 4"); __ASSERT("x == 4"); }}
    void f(int x) {{ }}"""
    assert Verifier().verify(parse_text(text.format(5), "f.c")).verified
    result = Verifier().verify(parse_text(text.format(4), "f.c"))
    assert [r.problem.code for r in result.functions if r.problem is not None] == ["OG360"]


def test_an_audit_refuses_what_no_input_satisfies(monkeypatch: pytest.MonkeyPatch) -> None:
    good = parse_text('int f(int x) { __requires("x > 3, x < 5"); __ensures("_Res == 1"); return 1; }', "f.c")
    certificate = certificate_of(good, Verifier().verify(good))
    assert not audit(good, certificate, Z3Solver()).failures
    bad = parse_text('int f(int x) { __requires("x > 3, x < 2"); __ensures("_Res == 7"); return 1; }', "f.c")
    monkeypatch.setattr(Verifier, "_contract_problem", lambda *_: None)  # a verifier that does not look
    result = Verifier().verify(bad)
    assert result.verified
    assert "OG360" in audit(bad, certificate_of(bad, result), Z3Solver()).failures["f"]


def checked(text: str, tmp_path: Path, *options: str) -> int:
    (tmp_path / "f.c").write_text("#include <optigpu.h>\n" + text)
    return main(["check", "--no-cache", *options, str(tmp_path / "f.c")])


def test_the_exit_code_is_that_of_a_wrong_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked('int f(int x) { __requires("x > 3, x < 2"); return 1; }', tmp_path) == 1
    out = capsys.readouterr().out
    assert "UNPROVED[OG360]" in out
    assert "together with x > 3" in out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('int f(int x) { __requires("x > 3"); return 1; }', "satisfied by f(x = 4)"),
        ('int f(int x) { __requires("x > 123456, x % 1000 == 7"); return 1; }', "satisfied by f(x = "),
        ("int f(unsigned x) { return 1; }", "satisfied by f(x = 0)"),
        (
            'int f(int n, int a[n]) { __requires("n == 2"); __reads("a ~> Matrix1(n, fun i -> 1)"); return 1; }',
            "a = [1, 1]",
        ),
        ('int f(int x) { __requires("x * x * x == 12167000000"); return 1; }', "neither an input"),
    ],
)
def test_an_input_is_shown_where_one_is_found(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checked(text, tmp_path, "-v") == 0
    assert message in capsys.readouterr().out
    assert checked(text, tmp_path) == 0
    assert "precondition" not in capsys.readouterr().out
