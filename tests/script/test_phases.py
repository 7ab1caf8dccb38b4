"""Attempts to emit what a phase made before it was checked, and phases that are left or interrupted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import optigpu as og
from optigpu.api import observe
from optigpu.check.verdict import ProgramResult
from optigpu.check.verify import Verifier
from optigpu.cli import main
from optigpu.frontend import parse_text
from optigpu.runtime.call_error import CallError
from optigpu.script.script_phase import ScriptPhase
from optigpu.script.step import Step
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.program import Program
from tests.support.zero_scripts import BACKWARDS, OTHER, ZERO, become, emitted, zero


def test_phases_that_are_closed_out_of_order_are_undone(tmp_path: Path) -> None:
    script = zero()
    outer, inner = script.phase("outer"), script.phase("inner")
    outer.__enter__()
    become(script, OTHER)
    inner.__enter__()
    with pytest.raises(InputError, match="closed in the reverse order"):
        outer.__exit__(None, None, None)
    with pytest.raises(InputError, match="this phase is not open"):
        inner.__exit__(None, None, None)
    assert [len(script.steps), script.unchecked] == [1, None]
    assert "a[i] = 0.0f" in emitted(script, tmp_path)
    with script.phase("outer"), script.phase("inner"):
        become(script, BACKWARDS)
    assert "n - 1 - i" in emitted(script, tmp_path)


def test_nothing_is_emitted_before_the_check_of_a_phase(tmp_path: Path) -> None:
    script = zero()
    refused: list[str] = []

    def emit_early() -> None:
        with pytest.raises(CallError) as e:
            emitted(script, tmp_path)
        refused.append(str(e.value))

    for text in (OTHER, BACKWARDS):
        try:
            with script.phase("p"):
                become(script, text)
                script.before_check(emit_early)
        except InputError as e:
            assert (e.diagnostic.code, text) == ("OG606", OTHER)
    assert ["phase is still open" in r for r in refused] == [True, True]
    assert "n - 1 - i" in emitted(script, tmp_path)


class InterruptedPhases(og.Script):
    """A script with an interrupt (Ctrl-C) when its open phases change, the `at`-th time."""

    at = changes = 0

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if name == "_phases":
            self.changes += 1
            if self.changes == self.at:
                raise KeyboardInterrupt


@pytest.mark.parametrize("at", range(2, 5))
def test_an_interrupt_where_a_phase_begins_or_ends_makes_no_step_verified(at: int, tmp_path: Path) -> None:
    script = InterruptedPhases(parse_text(ZERO), verifier=Verifier())
    script.at = at
    with pytest.raises((KeyboardInterrupt, InputError)), script.phase("p"):
        become(script, OTHER)
    try:
        assert "a[i] = 0.0f" in emitted(script, tmp_path)
    except CallError as e:
        assert "phase is still open" in str(e)


def test_a_step_without_a_verdict_is_no_reason_to_emit(tmp_path: Path) -> None:
    """Whatever led to such a session: the last step must have a verdict, about the specification of the original."""
    script = zero()
    with pytest.raises(InputError), script.phase("p"):
        become(script, OTHER)
        other = script.steps[-1]
    assert other.result is None
    script.steps.append(other)
    script.program = other.after
    with pytest.raises(CallError, match="changed outside a step"):
        emitted(script, tmp_path)
    result = script.result
    script.steps[-1] = replace(other, after=script.program, result=result)
    with pytest.raises(CallError, match="`zero` has another contract"):
        emitted(script, tmp_path)


def test_one_may_look_at_another_program_and_go_back(tmp_path: Path) -> None:
    script = zero()
    become(script, BACKWARDS)
    own = script.program
    script.program = parse_text(OTHER)
    assert script.result.verified
    script.program = own
    for _ in range(2):
        assert "n - 1 - i" in emitted(script, tmp_path)


@og.transformation
def fail_after_a_phase(script: og.Script) -> None:
    with script.phase("p"):
        become(script, BACKWARDS)
    raise ValueError("after the phase")


@og.transformation
def fail_in_a_phase_left_open(script: og.Script) -> None:
    script.phase("p").__enter__()
    become(script, BACKWARDS)
    raise ValueError("in the phase")


@pytest.mark.parametrize("failing", [fail_after_a_phase, fail_in_a_phase_left_open])
def test_a_step_that_fails_undoes_its_phases(failing: Callable[[og.Script], None], tmp_path: Path) -> None:
    script = zero()
    with pytest.raises(ValueError, match="the phase"):
        failing(script)
    assert [len(script.steps), script.unchecked] == [1, None]
    assert "a[i] = 0.0f" in emitted(script, tmp_path)
    become(script, BACKWARDS)
    assert "n - 1 - i" in emitted(script, tmp_path)


@og.transformation
def assign_and_tile(script: og.Script, program: Any) -> None:
    script.program = program
    script.loop.tile("i", 8, tail="guard")


@pytest.mark.parametrize("wrong", [None, 3, ZERO, Program("x.c", (3,))])  # type: ignore[arg-type]
def test_only_a_program_can_be_assigned(wrong: object, tmp_path: Path) -> None:
    script = zero()
    with pytest.raises(InputError) as e:
        assign_and_tile(script, wrong)
    assert e.value.diagnostic.code == "OG605"
    with pytest.raises(InputError):
        script.program = wrong  # type: ignore[assignment]
    assert script.unchecked is None
    assign_and_tile(script, parse_text(BACKWARDS))
    assert "n - 1 - " in emitted(script, tmp_path)


@og.transformation
def leave_a_phase_open(script: og.Script) -> None:
    become(script, BACKWARDS)
    script.phase("p").__enter__()


@og.transformation
def close(script: og.Script, phase: ScriptPhase) -> None:
    phase.__exit__(None, None, None)


def test_a_phase_is_closed_where_it_was_opened(tmp_path: Path) -> None:
    script = zero()
    with pytest.raises(InputError, match="leaves a phase open"):
        leave_a_phase_open(script)
    assert [len(script.steps), script.unchecked] == [1, None]
    phase = script.phase("p")
    phase.__enter__()
    become(script, BACKWARDS)
    with pytest.raises(InputError, match="closed where it was opened"):
        close(script, phase)
    phase.__exit__(None, None, None)
    assert "n - 1 - i" in emitted(script, tmp_path)


def test_a_phase_is_open_once_and_its_name_is_a_text(tmp_path: Path) -> None:
    script = zero()
    with pytest.raises(InputError, match="the name of a phase is a text"):
        script.phase(None)  # type: ignore[arg-type]
    phase = script.phase("p")
    with pytest.raises(InputError, match="this phase is open already"), phase, phase:
        become(script, BACKWARDS)
    assert [len(script.steps), script.unchecked] == [1, None]
    for text in (BACKWARDS, ZERO):
        with phase:
            become(script, text)
    assert "a[i] = 0.0f" in emitted(script, tmp_path)


LEFT_OPEN = {
    "forgotten": "p = s.phase('p')\np.__enter__()\nSTEP\n",
    "not kept": "s.phase('p').__enter__()\nSTEP\n",
    "the script ends in it": "import sys\nwith s.phase('p'):\n  STEP\n  sys.exit(0)\n",
    "in a generator": "def g():\n  with s.phase('p'):\n    STEP\n    yield\nx = g()\nnext(x)\n",
}


@pytest.mark.parametrize("left", LEFT_OPEN)
def test_a_script_with_a_phase_left_open_is_not_verified(
    left: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start = f"import optigpu as og\nfrom optigpu.frontend import parse_text\ns = og.Script(parse_text({ZERO!r}))\n"
    step = "s.instr.replace(og.Write('a'), 'a[i] = 0.0f + 0.0f;')"
    for end, code in ((LEFT_OPEN[left].replace("STEP", step), 2), (f"with s.phase('p'):\n  {step}\n", 0)):
        (tmp_path / "s.py").write_text(start + end)
        assert main(["run", "--no-trace", str(tmp_path / "s.py")]) == code
        assert ("VERIFIED 2 steps" in capsys.readouterr().out) == (code == 0)


def test_who_watches_the_steps_may_emit_what_a_phase_made(tmp_path: Path) -> None:
    texts: list[str] = []

    def emit_step(script: og.Script, step: Step) -> None:
        if step.result is not None:
            texts.append(emitted(script, tmp_path))

    script = zero()
    with observe(emit_step), script.phase("p"):
        become(script, BACKWARDS)
    assert ["n - 1 - i" in text for text in texts] == [True]


class Changing:
    """A path that changes the program of a script when it is read."""

    def __init__(self, script: og.Script, path: Path) -> None:
        self.script, self.path = script, path

    def __fspath__(self) -> str:
        self.script.program = parse_text(OTHER)
        return str(self.path)


class Swapping(Verifier):
    """Changes the program of the script that asks it, and answers for that."""

    script: og.Script | None = None

    def verify(self, program: Program, function: str | None = None) -> ProgramResult:
        if self.script is not None:
            self.script.program = program = parse_text(OTHER)
        return super().verify(program, function)


def test_a_program_that_changes_while_it_is_emitted_is_not_emitted(tmp_path: Path) -> None:
    script = zero()
    with pytest.raises(CallError, match="changed outside a step"):
        script.emit(Changing(script, tmp_path / "out.c"))  # type: ignore[arg-type]
    verifier = Swapping()
    script = zero(verifier)
    own = script.program
    script.program = parse_text(BACKWARDS)
    assert script.result.verified
    script.program = own
    verifier.script = script
    with pytest.raises(CallError, match="changed outside a step"):
        emitted(script, tmp_path)
    assert not [*tmp_path.iterdir()]


def test_a_verdict_on_another_specification_is_none_of_the_script(tmp_path: Path) -> None:
    script, other = zero(), og.Script(parse_text(OTHER), verifier=Verifier())
    script.program = other.program
    script.steps += other.steps
    assert "another specification" in (script.unchecked or "")
    with pytest.raises(CallError, match="another specification"):
        emitted(script, tmp_path)
    assert other.unchecked is None
