"""Attempts to get code out of a script that was not checked against the original, or that says something else than what was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import optigpu as og
from optigpu.checker.verdict import ProgramResult
from optigpu.checker.verify import Verifier
from optigpu.frontend import parse_text
from optigpu.runtime.errors import CallError
from optigpu.syntax.errors import InputError
from optigpu.syntax.program import Program

ZERO = """#include <optigpu.h>
void zero(int n, float a[n]) {
  __requires("n >= 0");
  __writes("a ~> Matrix1(n, fun i -> 0.0f)");
  for (int i = 0; i < n; i++) a[i] = 0.0f;
}
"""
ONES = ZERO.replace("a[i] = 0.0f", "a[i] = 1.0f")
BACKWARDS = ZERO.replace("a[i] = 0.0f", "a[n - 1 - i] = 0.0f")


class Interrupted(Verifier):
    """Gives up on every program but the first."""

    asked = 0

    def verify(self, program: Program, function: str | None = None) -> ProgramResult:
        self.asked += 1
        if self.asked == 2:
            raise KeyboardInterrupt
        return super().verify(program, function)


@og.transformation
def become(script: og.Script, text: str) -> None:
    script.update(parse_text(text))


def zero(verifier: Verifier | None = None) -> og.Script:
    return og.Script(parse_text(ZERO), verifier=verifier or Verifier())


def emitted(script: og.Script, folder: Path) -> str:
    return script.emit(folder / "out.c").read_text(encoding="utf-8")


def assigned(script: og.Script, text: str) -> None:
    script.program = parse_text(text)


@pytest.mark.parametrize("change", [assigned, lambda s, text: s.update(parse_text(text))])
def test_a_program_that_no_step_checked_is_not_emitted(
    change: Callable[[og.Script, str], None], tmp_path: Path
) -> None:
    script = zero()
    change(script, ONES)
    for make in (lambda: emitted(script, tmp_path), script.build):
        with pytest.raises(CallError, match="changed outside a step"):
            make()
    assert not script.result.verified
    become(script, BACKWARDS)
    assert "n - 1 - i" in emitted(script, tmp_path)


def test_a_check_that_was_interrupted_leaves_the_program_as_it_was(tmp_path: Path) -> None:
    script = zero(Interrupted())
    with pytest.raises(KeyboardInterrupt):
        become(script, ONES)
    assert "a[i] = 0.0f" in emitted(script, tmp_path)


def test_a_phase_whose_check_was_interrupted_leaves_the_program_as_it_was(tmp_path: Path) -> None:
    script = zero(Interrupted())
    with pytest.raises(KeyboardInterrupt), script.phase("ones"):
        become(script, ONES)
    assert "a[i] = 0.0f" in emitted(script, tmp_path)
    assert len(script.steps) == 1


HELPER = """void helper(int n, float a[n]) {
  __requires("n >= 0");
  __writes("a ~> Matrix1(n, fun i -> 0.0f)");
  BODY
}
"""
CALLING = ZERO.replace("void zero", f"{HELPER}void zero").replace(
    "for (int i = 0; i < n; i++) a[i] = 0.0f;", "helper(n, a);"
)


def test_a_script_admits_no_function(tmp_path: Path) -> None:
    script = zero()
    with pytest.raises(InputError, match="`helper` is a new assumption"):
        become(script, CALLING.replace("BODY", "__admitted();"))
    become(script, CALLING.replace("BODY", "for (int i = 0; i < n; i++) a[i] = 0.0f;"))
    assert "helper(n, a)" in emitted(script, tmp_path)
