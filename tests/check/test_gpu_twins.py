"""The checker on the GPU programs that the interpreter runs: what misbehaves in a run is never verified."""

from __future__ import annotations

import pytest

from optigpu.check.verdict import FunctionResult, Verdict
from optigpu.check.verify import Verifier
from tests.support.gpu_pairs import GPU_PAIRS, GpuPair
from tests.support.running import parse


def checked(verifier: Verifier, text: str) -> FunctionResult:
    result = verifier.verify(parse(text))
    return next(f for f in result.functions if f.name == "f" or f.verdict is not Verdict.VERIFIED)


@pytest.mark.parametrize("pair", GPU_PAIRS, ids=lambda p: p.name)
def test_what_misbehaves_is_not_verified(pair: GpuPair) -> None:
    verifier = Verifier()
    for wrong in pair.wrong:
        result = checked(verifier, pair.twin(wrong))
        assert result.verdict is not Verdict.VERIFIED, wrong.new
        if wrong.code is not None:
            assert result.problem is not None and result.problem.code == wrong.code
