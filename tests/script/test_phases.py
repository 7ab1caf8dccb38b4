"""Attempts to emit what a phase made before it was checked, and phases that are left or interrupted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import optigpu as og
from optigpu.check.verify import Verifier
from optigpu.frontend import parse_text
from optigpu.runtime.call_error import CallError
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
    with pytest.raises(InputError, match="closed in the reverse order"):
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
