"""Conditions that move across loops: out of those whose index they do not mention, and into those under them."""

from __future__ import annotations

import pytest

import optigpu as og
from optigpu import For, If, Write
from optigpu.frontend import parse_text
from optigpu.script.step_errors import StepError
from optigpu.syntax.diagnostic import InputError

CLEARED = """
void f(int m, int n, bool all, float a[m][n]) {
  __consumes("a ~> Cells2(m, n)");
  __produces("a ~> Cells2(m, n)");
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) {
      BODY
    }
  }
}"""
MASKED = CLEARED.replace("BODY", "if (all && i < 8 && j < i) { a[i][j] = 0.0f; }")
BOTH = CLEARED.replace("BODY", "if (all) { a[i][j] = 0.0f; } else { a[i][j] = 1.0f; }")


def test_operands_leave_the_loops_that_they_do_not_depend_on() -> None:
    s = og.Script(parse_text(MASKED))
    s.instr.move_guard(Write("a"), out_of="j")
    assert "if (all && i < 8) {\n      for (int j" in s.text() and "if (j < i) {" in s.text()
    s.instr.split_guard(If().first)
    s.instr.move_guard(If().first, out_of="i")
    assert s.text().index("if (all)") < s.text().index("for (int i") < s.text().index("if (i < 8)")


def test_a_condition_leaves_several_loops_with_its_else_branch() -> None:
    s = og.Script(parse_text(BOTH))
    s.instr.move_guard(If(), out_of="i")
    assert s.text().count("for (int i") == 2 and s.text().index("if (all)") < s.text().index("for (int i")
    s.loop.parallel(For("i").first)
    assert s.result.verified


def test_a_condition_moves_in_and_out_again() -> None:
    s = og.Script(parse_text(MASKED))
    s.instr.move_guard(If(), out_of="j")
    s.instr.move_guard(If().first, into="j")
    assert "if (all && i < 8 && j < i)" in s.text() or s.text().count("if (") == 2
    s.loop.reorder("j", "i")
    assert s.text().index("for (int j") < s.text().index("for (int i")


def test_statements_beside_the_loop_get_the_condition() -> None:
    text = """
void f(int n, bool all, float a[n], float b[1]) {
  __preserves("a ~> Cells1(n), b ~> Cells1(1)");
  if (all) {
    b[0] = 0.0f;
    for (int j = 0; j < n; j++) {
      a[j] = 0.0f;
    }
    b[0] = 1.0f;
  }
}"""
    s = og.Script(parse_text(text))
    s.instr.move_guard(Write("a"), into="j")
    assert s.text().count("if (all) {") == 3 and "for (int j = 0; j < n; j++) {\n    if (all) {" in s.text()
    s = og.Script(parse_text(text.replace("b[0] = 0.0f;", "const float z = 0.0f;").replace("b[0] = 1.0f", "b[0] = z")))
    with pytest.raises(InputError, match="`z` is declared under the condition and used beside the loop"):
        s.instr.move_guard(Write("a"), into="j")


def test_a_condition_that_only_the_loop_may_evaluate_is_rejected() -> None:
    text = """
void f(int n, int p[n], float a[n]) {
  __requires("P: int -> int");
  __reads("p ~> Matrix1(n, P)");
  __preserves("a ~> Cells1(n)");
  for (int j = 0; j < n; j++) {
    if (p[0] == 1) {
      a[j] = 0.0f;
    }
  }
}"""
    s = og.Script(parse_text(text))
    with pytest.raises(StepError) as error:
        s.instr.move_guard(If(), out_of="j")
    assert "REFUTED[OG302]" in str(error.value) and "p[0]" in str(error.value)
    assert s.text() == og.Script(parse_text(text)).text()
    s = og.Script(parse_text(text.replace('"P: int -> int"', '"P: int -> int, n > 0"')))
    s.instr.move_guard(If(), out_of="j")
    assert s.text().index("if (p[0] == 1)") < s.text().index("for (int j")


@pytest.mark.parametrize(
    ("body", "step", "message"),
    [
        ("if (j < i) { a[i][j] = 0.0f; }", {"out_of": "j"}, "the condition depends on `j`"),
        ("if (all) { a[i][j] = 0.0f; }", {"out_of": "k"}, "the condition is not in a loop over `k`"),
        ("if (all) { a[i][j] = 0.0f; }", {"into": "k"}, "there is no loop over `k` under the condition"),
        ("if (all) { a[i][j] = 0.0f; }", {}, "say out_of=… or into=…"),
        ("a[i][j] = 1.0f; if (all) { a[i][j] = 0.0f; }", {"out_of": "j"}, "the condition is not alone in the loop"),
        ("a[i][j] = 0.0f;", {"out_of": "j"}, "there is no condition around this statement"),
    ],
)
def test_a_condition_that_cannot_move_says_why(body: str, step: dict[str, str], message: str) -> None:
    s = og.Script(parse_text(CLEARED.replace("BODY", body)))
    with pytest.raises(InputError) as error:
        s.instr.move_guard(Write("a").last, **step)
    assert message in error.value.diagnostic.message


def test_a_condition_with_one_operand_is_not_split() -> None:
    s = og.Script(parse_text(BOTH))
    with pytest.raises(InputError, match="else branch"):
        s.instr.split_guard(If())
    s = og.Script(parse_text(MASKED))
    with pytest.raises(InputError, match="has 3 operands of `&&`: the first 3 cannot be split off"):
        s.instr.split_guard(If(), 3)
