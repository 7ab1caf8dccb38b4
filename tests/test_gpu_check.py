"""GPU programs checked directly: what is right verifies, what is wrong is rejected with the right code."""

from __future__ import annotations

import pytest

from optigpu.checker.audit import audit, certificate_of
from optigpu.checker.verdict import ProgramResult
from optigpu.checker.verify import Verifier
from optigpu.frontend import parse_text
from optigpu.prover.z3_solver import Z3Solver
from optigpu.report.verdicts import render_function
from optigpu.syntax.errors import InputError
from tests.support.gpu_programs import GPU_PAIRS, GpuPair


def check(text: str) -> ProgramResult:
    return Verifier().verify(parse_text(text))


def explain(result: ProgramResult) -> str:
    return "\n".join(render_function(f) for f in result.functions)


@pytest.mark.parametrize("pair", GPU_PAIRS, ids=lambda p: p.name)
def test_right_programs_verify(pair: GpuPair) -> None:
    program = parse_text(pair.text())
    result = Verifier().verify(program)
    assert result.verified, explain(result)
    assert result.assumptions == 0
    found = audit(program, certificate_of(program, result), Z3Solver())
    assert found.failures == {}, found.failures


WRONG = [(p, i) for p in GPU_PAIRS for i in range(len(p.wrong))]


@pytest.mark.parametrize(("pair", "number"), WRONG, ids=[f"{p.name}-{i}-{p.wrong[i][2]}" for p, i in WRONG])
def test_wrong_programs_are_rejected(pair: GpuPair, number: int) -> None:
    code = pair.wrong[number][2]
    try:
        result = check(pair.broken(number))
    except InputError as e:
        assert e.diagnostic.code == code, e
        return
    problems = [f.problem for f in result.functions if f.problem is not None and f.problem.code != "OG330"]
    assert problems, "verified"
    assert problems[0].code == code, explain(result)
