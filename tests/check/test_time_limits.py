"""A limit of time, and what is shown of a long check. The clock of these tests counts how often it is read."""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

import optigpu as og
from optigpu.check.verdict import ProgramResult, Verdict
from optigpu.check.verify import Settings, Verifier
from optigpu.cli import main
from optigpu.frontend import parse_text
from optigpu.report.progress import ProgressLine, render_doing
from optigpu.report.verdict_text import render_function
from optigpu.search.watch import Doing
from tests.conftest import ROOT

PROGRAM = """
void fill(int n, float a[n]) {
  __writes("a ~> Matrix1(n, fun i -> 1)");
  for (int i = 0; i < n; i++) {
    a[i] = 1.0f;
  }
}
void twice(int n, float a[n]) {
  __writes("a ~> Matrix1(n, fun i -> 1)");
  fill(n, a);
  fill(n, a);
}
float one(float x) {
  __ensures("_Res == x");
  return x;
}
"""
WRONG = PROGRAM.replace("a[i] = 1.0f", "a[i] = 2.0f")


def counting(step: float = 1.0) -> Iterator[float]:
    return count(0.0, step)


def checked(text: str, limit: float | None) -> ProgramResult:
    clock = counting()
    return Verifier(Settings(timeout=limit, clock=lambda: next(clock))).verify(parse_text(text))


def verdicts(result: ProgramResult) -> list[str]:
    return [f.problem.code if f.problem is not None else f.verdict.value for f in result.functions]


def test_a_proof_that_takes_too_long_is_unproved_and_others_keep_their_verdicts() -> None:
    assert verdicts(checked(PROGRAM, None)) == ["VERIFIED"] * 3
    assert verdicts(checked(PROGRAM, 1_000_000)) == ["VERIFIED"] * 3
    result = checked(PROGRAM, 5)
    assert verdicts(result) == ["OG398", "OG330", "VERIFIED"]
    assert result.functions[0].verdict is Verdict.UNPROVED and result.functions[0].theorem is None
    text = render_function(result.functions[0])
    assert text.startswith("<text>:5:5: UNPROVED[OG398]") and "5 s" in text and "help: " in text


@pytest.mark.parametrize("limit", [*range(0, 40, 3), *range(40, 400, 60)])
def test_wherever_a_proof_is_ended_nothing_else_is_claimed(limit: int) -> None:
    assert set(verdicts(checked(PROGRAM, limit))) <= {"VERIFIED", "OG398", "OG330"}
    wrong = checked(WRONG, limit)
    assert wrong.functions[0].verdict is not Verdict.VERIFIED and wrong.functions[1].verdict is not Verdict.VERIFIED


def test_after_a_limit_the_same_verifier_still_proves() -> None:
    clock = counting()
    verifier = Verifier(Settings(timeout=30, clock=lambda: next(clock)))
    program = parse_text(PROGRAM)
    assert verdicts(verifier.verify(program))[0] == "OG398"
    verifier.watch.limit = None
    assert verdicts(verifier.verify(program)) == ["VERIFIED"] * 3


# Progress --------------------------------------------------------------------------------------------------------------------


def shown(step: float) -> list[Doing | None]:
    out: list[Doing | None] = []
    clock = counting(step)
    Verifier(Settings(progress=out.append, clock=lambda: next(clock))).verify(parse_text(PROGRAM))
    return out


def test_a_long_check_says_what_it_is_doing() -> None:
    out = shown(1.0)
    assert out[-1] is None and None not in out[:-1]
    texts = [render_doing(d) for d in out if d is not None]
    assert any("checking fill: loop at <text>:4 (" in text for text in texts)


def test_a_short_check_says_nothing() -> None:
    assert shown(0.0) == []


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_line_is_rewritten_and_removed() -> None:
    terminal = Terminal()
    line = ProgressLine(terminal)
    for d in shown(1.0):
        line(d)
    text = terminal.getvalue()
    assert "\n" not in text and text.endswith("\r\x1b[K") and "checking fill" in text


def test_elsewhere_each_place_is_a_line() -> None:
    stream = io.StringIO()
    line = ProgressLine(stream)
    for d in shown(1.0):
        line(d)
    lines = stream.getvalue().splitlines()
    assert lines and "\x1b" not in stream.getvalue() and len(lines) == len({x.rpartition(" (")[0] for x in lines})


# Scripts ---------------------------------------------------------------------------------------------------------------------


def test_an_interrupt_during_a_step_leaves_the_state_before_it() -> None:
    s = og.Script(ROOT / "examples" / "matmul.c")
    s.loop.tile("i", 8, tail="guard")
    program, steps, attempts, result = s.program, list(s.steps), list(s.attempts), s.result

    def interrupt() -> float:
        raise KeyboardInterrupt

    for read in (0, 1, 10):
        left = iter([0.0] * read)
        s.verifier.watch.show = lambda doing: None
        s.verifier.watch.clock = lambda left=left: next(left, None) or interrupt()  # type: ignore[misc]
        with pytest.raises(KeyboardInterrupt):
            s.loop.tile("j", 8, tail="guard")
        s.verifier.watch.show = None
        assert (s.program, s.steps, s.attempts, s.unchecked) == (program, steps, attempts, None)
    assert s.result is result
    s.loop.tile("j", 8, tail="guard")
    assert len(s.steps) == len(steps) + 1


def test_a_step_that_takes_too_long_is_undone() -> None:
    s = og.Script(ROOT / "examples" / "matmul.c")
    program, clock = s.program, counting()
    s.verifier.watch.limit, s.verifier.watch.clock = 5, lambda: next(clock)
    s.verifier.verdicts.entries = None  # an earlier run may have proved it
    with pytest.raises(og.StepError, match="OG398"):
        s.loop.tile("i", 8, tail="guard")
    assert s.program is program and len(s.steps) == 1


def test_the_title_of_a_step_is_shown() -> None:
    out: list[Doing | None] = []
    s = og.Script(ROOT / "examples" / "copy.c")
    clock = counting()
    s.verifier.watch.show, s.verifier.watch.clock = out.append, lambda: next(clock)
    s.loop.tile("i", 8, tail="guard")
    assert out[-1] is None and out[0] is not None and out[0].title.startswith("step 1: loop.tile(")


# The command line ------------------------------------------------------------------------------------------------------------


def test_the_exit_code_is_that_of_unproved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "fill.c"
    file.write_text(PROGRAM, encoding="utf-8")
    assert main(["check", "--timeout", "1e-9", str(file)]) == 1
    assert "UNPROVED[OG398]" in capsys.readouterr().out


@pytest.mark.parametrize("wrong", ["0", "-1", "inf", "nan", "soon"])
def test_a_limit_is_a_positive_number(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["check", "--timeout", wrong, "x.c"])
    assert "--timeout" in capsys.readouterr().err
