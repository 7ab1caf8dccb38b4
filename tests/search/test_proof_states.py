"""What the checker keeps of a proof for people to look at."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_file, parse_text
from optigpu.report.listing import ANNOTATED_VIEW, INFERRED_VIEW, PLAIN_VIEW, code_lines, find_line, listing
from optigpu.report.permissions import PermissionWriter
from optigpu.syntax.printer import print_program
from optigpu.syntax.program import FUNCTION_CLAUSES, LOOP_CLAUSES
from optigpu.syntax.walk import statements
from tests.conftest import EXAMPLES, GPU_PROGRAMS
from tests.support.records import COPY


def checked(text: str, points: bool = True):
    program = parse_text(text, "copy.c")
    return program, Verifier(Settings(points=points)).verify(program)


def held(points, statement: int, end: bool = False) -> list[str]:
    state = (points.end if end else points.before)[statement]
    return [str(p) for p in PermissionWriter().held(state).permissions]


def test_permissions_before_and_after_statements() -> None:
    _, result = checked(COPY)
    points = result.functions[0].points
    assert held(points, 1) == ["b[i] for i in 0..n: uninitialised", "read a[i] for i in 0..n = A(i)"]
    assert held(points, 2) == ["b[i]: uninitialised", "read a[j] for j in 0..n = A(j)"]
    assert held(points, 1, end=True) == ["b[i] = A(i)", "read a[j] for j in 0..n = A(j)"]
    assert held(points, 0, end=True) == ["b[i] for i in 0..n = A(i)", "read a[i] for i in 0..n = A(i)"]
    known = PermissionWriter().held(points.before[2]).facts
    assert set(known) == {"i < n", "i >= 0", "n >= 0"}


def test_nothing_is_kept_unless_asked_for() -> None:
    assert checked(COPY, points=False)[1].functions[0].points is None


def test_a_failed_proof_keeps_what_it_came_past_and_says_where_it_stopped() -> None:
    program, result = checked(COPY.replace("= a[i]", "= a[i + 1]"))
    f = result.functions[0]
    assert f.problem is not None and f.problem.statement == 2
    assert held(f.points, 2) and 0 not in f.points.end
    lines = listing(program)
    place = find_line(lines, "copy", f.problem.statement, f.problem.loc)
    assert place is not None and "a[i + 1]" in lines[place].text


def test_a_failure_of_the_contract_is_shown_at_its_clause() -> None:
    program, result = checked(COPY.replace("= a[i]", "= a[i] + 1"))
    problem = result.functions[0].problem
    assert problem is not None and problem.statement == 0
    for view, text in ((ANNOTATED_VIEW, "__writes"), (PLAIN_VIEW, "void copy")):
        lines = listing(program, view)
        place = find_line(lines, "copy", 0, problem.loc)
        assert place is not None and text in lines[place].text


def test_a_theorem_used_again_belongs_to_the_statements_of_the_new_program() -> None:
    verifier = Verifier(Settings(points=True))
    verifier.verify(parse_text(COPY, "copy.c"))
    inner = COPY.replace("  for", "  { for").replace("  }\n}", "  } }\n}")
    result = verifier.verify(parse_text(inner, "copy.c"))
    assert held(result.functions[0].points, 3)[0] == "b[i]: uninitialised"
    assert held(result.functions[0].points, 2, end=True)[0] == "b[i] = A(i)"


def test_indices_of_loops_that_count_otherwise() -> None:
    _, down = checked(COPY.replace("int i = 0; i < n; i++", "int i = n - 1; i >= 0; i--"))
    assert held(down.functions[0].points, 2)[0] == "b[i]: uninitialised"
    two = (
        'void f(int n, float b[n]) {\n  __consumes("b ~> UninitMatrix1(n)");\n  __produces("b ~> UninitMatrix1(n)");\n'
    )
    _, strided = checked(two + "  for (int i = 0; i < n; i += 2) {\n    b[i] = 0;\n  }\n}\n")
    state = strided.functions[0].points.before[2]
    assert "i = 2 * i′" in PermissionWriter().held(state).facts
    assert held(strided.functions[0].points, 2)[0] == "b[2 * i′]: uninitialised"


BRANCHES = """void f(int n, int b[n]) {
  __requires("n > 0");
  __writes("b ~> Matrix1(n, fun i -> i < 3 ? 1 : i < 5 ? 2 : 3)");
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    __ASSERT("i >= 0");
    if (i < 3) {
      b[i] = 1;
    } else if (i < 5) {
      b[i] = 2;
    } else {
      b[i] = 3;
    }
  }
}
"""


@pytest.mark.parametrize("view", [PLAIN_VIEW, ANNOTATED_VIEW, INFERRED_VIEW])
def test_lines_know_their_statements_in_every_view(view: str) -> None:
    program, result = checked(BRANCHES)
    assert result.verified
    lines = listing(program, view, result)
    statements = {line.text.strip(): (line.statement, line.end) for line in lines if line.function}
    assert statements["#pragma omp parallel for"] == statements["for (int i = 0; i < n; i++) {"] == (1, False)
    assert statements["if (i < 3) {"] == (3, False)
    assert statements["b[i] = 1;"] == (4, False)
    assert statements["} else if (i < 5) {"] == (5, False)
    assert statements["b[i] = 2;"] == (6, False)
    assert statements["} else {"] == (5, True)
    assert statements["b[i] = 3;"] == (7, False)
    assert ('__ASSERT("i >= 0");' in statements) == (view != PLAIN_VIEW)
    assert any("__x" in text for text in statements) == (view == INFERRED_VIEW)
    assert not any(text.startswith("__") for text in statements) or view != PLAIN_VIEW


@pytest.mark.parametrize("path", [*EXAMPLES, *GPU_PROGRAMS], ids=lambda p: p.stem)
def test_a_listing_is_the_printed_program(path: Path) -> None:
    program = parse_file(path)
    lines = listing(program)
    assert "".join(f"{line.text}\n" for line in lines) == print_program(program)
    for f in program.functions():
        count = sum(1 for _ in statements(f.body))
        assert {line.statement for line in lines if line.function == f.name} == set(range(count + 1))
    plain = [line.text for line in listing(program, PLAIN_VIEW)]
    assert [text for text in plain if text] == [lines[n].text for n in code_lines(lines)]
    annotations = "|".join(
        [*FUNCTION_CLAUSES, *LOOP_CLAUSES, "ghost", "GHOST", "ASSERT", "AXIOM", "DECL", "DEF", "admitted"]
    )
    assert not any(re.match(rf"\s*__({annotations})", text) for text in plain)


def test_listing_with_and_without_a_cache_is_the_same() -> None:
    program, result = checked(COPY)
    cache: dict = {}
    for view in (PLAIN_VIEW, ANNOTATED_VIEW, INFERRED_VIEW):
        first, second = (listing(program, view, result, cache) for _ in range(2))
        assert first == second == listing(program, view, result)
