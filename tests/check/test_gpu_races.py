"""Random kernels against the finite model of threads: a verified one has no data race, and all its threads reach each barrier."""

from __future__ import annotations

from random import Random

import pytest

from optigpu.check.verify import Verifier
from optigpu.elaborate.program_elaboration import elaborate
from optigpu.frontend import parse_text
from tests.support.random_kernels import KernelMaker
from tests.support.thread_model import Misbehaved, run_kernel


@pytest.mark.parametrize("start", range(4))
def test_verified_kernels_have_no_races(start: int, count: int = 40) -> None:
    accepted = rejected = 0
    verifier = Verifier()
    for seed in range(1000 * start, 1000 * start + count):
        maker = KernelMaker(Random(seed))
        text = maker.program()
        program = parse_text(text)
        result = verifier.verify(program)
        code = elaborate(program).program.functions["f"].body
        racy = False
        for grid in range(4):
            try:
                racy = racy or bool(run_kernel(code, {"G": grid}, {"d": [grid * maker.threads]}))
            except Misbehaved:
                racy = True
        if result.verified:
            accepted += 1
            assert not racy, text
        elif racy:
            rejected += 1
    assert accepted >= 2 and rejected >= 10, (accepted, rejected)
