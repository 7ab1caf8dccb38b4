"""Proofs of loops are called again in the next program; the kernel decides whether they hold there."""

from __future__ import annotations

import pytest

from optigpu.check import remembered_loops
from optigpu.check.certify import certificate_of
from optigpu.check.verify import Verifier
from optigpu.frontend import parse_text
from optigpu.search.contract_annotations import annotated
from optigpu.syntax.printer import print_program

TEXT = """#include <optigpu.h>
void f(int n, float a[n], float b[n]) {{
  __requires("A: int -> float");
  __writes("a ~> Matrix1(n, fun i -> {value})");
  __reads("b ~> Matrix1(n, A)");
{before}  for (int i = 0; i < n; i++) {{
    a[i] = 0.0f;
    for (int j = 0; j < 3; j++) a[i] += {summand};
  }}
}}
"""
FIRST = TEXT.format(value="3 * A(i)", before="", summand="b[i]")
VARIABLE_BEFORE = "  float s = 0.0f;\n  for (int i = 0; i < n; i++) s += b[i];\n"
ARRAY_BEFORE = "  float t[4];\n  for (int i = 0; i < 4; i++) t[i] = 1.0f;\n"


@pytest.fixture
def again(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The indices of the loops whose proofs were called again."""
    seen: list[str] = []
    original = remembered_loops.LoopReplay.again

    def counted(self, attempt, accesses):  # type: ignore[no-untyped-def]
        calls = original(self, attempt, accesses)
        if calls is not None:
            seen.append(str(attempt.start.loop.index))
        return calls

    monkeypatch.setattr(remembered_loops.LoopReplay, "again", counted)
    return seen


@pytest.mark.parametrize("before", ["  int m = 3;\n", VARIABLE_BEFORE, ARRAY_BEFORE + VARIABLE_BEFORE])
def test_an_unchanged_loop_is_not_searched_again(again: list[str], before: str) -> None:
    """Its families have other numbers where an array comes before it."""
    verifier = Verifier()
    assert verifier.verify(parse_text(FIRST, "f.c")).verified and not again
    text = TEXT.format(value="3 * A(i)", before=before, summand="b[i]")
    program = parse_text(text, "f.c")
    result = verifier.verify(program)
    assert result.verified and "i" in again
    loops = {mark: contract for f in result.functions for mark, contract in f.loops.items()}
    fresh = Verifier().verify(program)
    expected = {mark: contract for f in fresh.functions for mark, contract in f.loops.items()}
    assert print_program(annotated(program, loops)) == print_program(annotated(program, expected))
    assert certificate_of(program, result) == certificate_of(program, fresh)


def test_a_loop_that_starts_from_something_else_is_proved_of_that(again: list[str]) -> None:
    verifier = Verifier()
    start = "  for (int i = 0; i < n; i++) a[i] = {0}.0f;\n  for (int i = 0; i < n; i++) a[i] += b[i];\n"
    text = TEXT.split("{before}", maxsplit=1)[0] + "{before}}}\n"
    right = text.format(value="1 + A(i)", before=start.format(1))
    wrong = text.format(value="1 + A(i)", before=start.format(2))
    assert verifier.verify(parse_text(right, "f.c")).verified
    second = verifier.verify(parse_text(wrong, "f.c"))
    assert not second.verified
    problem = second.functions[0].problem
    alone = Verifier().verify(parse_text(wrong, "f.c")).functions[0].problem
    assert problem is not None and alone is not None and (problem.code, problem.loc) == (alone.code, alone.loc)


def test_a_proof_that_needs_what_is_no_longer_known_is_refused(again: list[str]) -> None:
    text = """void f(int n, int m, float a[n]) {{
  __requires("{known}");
  __writes("a ~> Cells1(n)");
  for (int i = 0; i < n; i++) a[i] = 1.0f;
  for (int i = 0; i < m; i++) a[i] = 2.0f;
}}
"""
    verifier = Verifier()
    assert verifier.verify(parse_text(text.format(known="0 <= m && m <= n"), "f.c")).verified
    second = verifier.verify(parse_text(text.format(known="0 <= m && m <= n + 1"), "f.c"))
    assert not second.verified and second.functions[0].problem is not None
    assert second.functions[0].problem.loc.line == 5
