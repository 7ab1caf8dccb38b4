"""Code generation: random verified kernels agree with the interpreter, and planted faults are noticed."""

from __future__ import annotations

from collections import Counter

from optigpu.check.verify import Verifier
from tests.evidence.translation import WRONG, examine, program
from tests.support.cuda import REVERSED_ROWS


def test_random_verified_kernels_agree_with_the_interpreter() -> None:
    verifier = Verifier()
    outcomes = Counter(examine(program(0, n), verifier, n)[0] for n in range(6))
    assert outcomes["agrees"] >= 3 and not outcomes[WRONG]


def test_faults_in_the_emitted_text_are_found() -> None:
    verifier = Verifier()
    assert examine(REVERSED_ROWS, verifier, 0) == ("agrees", "")
    for right, wrong, says in (
        ("__syncthreads();", "", "data race"),
        ("s[3 - t]", "s[(3 - t) ^ 1]", "`d`"),
        ("const int t = threadIdx.x;", "const int t = threadIdx.x / 2;", "data race"),
    ):
        outcome, detail = examine(REVERSED_ROWS, verifier, 0, lambda cuda, r=right, w=wrong: cuda.replace(r, w))
        assert outcome == WRONG and says in detail, (wrong, detail)
