"""GPU programs in the interpreter: right ones run clean under every schedule, each wrong twin is caught."""

from __future__ import annotations

import pytest

from optigpu.interp.machine import Runner
from optigpu.interp.testing import test_function as run_tests
from tests.support.gpu_pairs import GPU_PAIRS, GpuPair, GpuWrong
from tests.support.running import parse

run_tests.__test__ = False
TWINS = [(pair, wrong) for pair in GPU_PAIRS for wrong in pair.wrong]


@pytest.mark.parametrize("pair", GPU_PAIRS, ids=lambda p: p.name)
def test_right_program_runs_clean(pair: GpuPair) -> None:
    program = parse(pair.good)
    report = run_tests(Runner(program), program.function("f"), seconds=2.0, most=14)
    assert report.failure is None, str(report.failure)
    assert report.runs >= 2 and not report.skipped and report.gave_up is None


@pytest.mark.parametrize(("pair", "wrong"), TWINS, ids=[f"{p.name}: {w.new.strip()[:30]}" for p, w in TWINS])
def test_wrong_twin_is_caught(pair: GpuPair, wrong: GpuWrong) -> None:
    program = parse(pair.twin(wrong))
    report = run_tests(Runner(program), program.function("f"), seconds=3.0, most=60)
    assert report.failure is not None, "the wrong program passed"
    found = report.failure.misbehaviour
    assert found.code == wrong.says, str(found)
