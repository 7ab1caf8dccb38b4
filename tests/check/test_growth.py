"""The work of a check does not grow faster with what is written than it does today. Work is counted, not timed.

A bound is the exponent that was measured, and a little more. Whoever makes a case better lowers its bound; none is raised.
`benchmarks/bench_growth.py` measures seconds, and larger sizes.
"""

from __future__ import annotations

import pytest
from benchmarks.growth_cases import CASES

from tests.support.work import calls_in, checking_work, exponent

SLACK = 0.17
MEASURED = {
    "cells one by one": ((32, 128), 1.02),
    "values one by one": ((32, 128), 1.17),
    "single claims": ((16, 32), 1.20),
    "claims of a family": ((25, 100), 1.34),
    "distinct sizes": ((8, 32), 1.25),
    "unrolled copy": ((8, 32), 1.47),
    "unrolled sum": ((8, 32), 1.45),
    "choices": ((4, 16), 0.70),
    "guarded maxima": ((1, 2), 1.50),
    "padded pooling": ((1, 2), 2.50),
    "tree of maxima": ((32, 128), 0.28),
    "quotients in turn": ((10, 20), 0.98),
    "digits": ((4, 8), 1.62),
    "conditions on digits": ((2, 4), 1.05),
    "sums of digit conditions": ((2, 3), 2.34),
    "transposed convolution": ((1, 2), 2.57),
    "statements": ((4, 8), 0.71),
    "functions": ((4, 8), 0.74),
    "arrays": ((4, 8), 0.60),
    "phases": ((2, 4), 0.18),
    "tree depth": ((3, 6), 0.63),
}
PROGRAMS = {case.name: case.program for case in CASES}


def test_every_case_has_a_bound() -> None:
    assert MEASURED.keys() == PROGRAMS.keys()


@pytest.mark.parametrize("name", MEASURED)
def test_work_grows_no_faster_than_it_did(name: str) -> None:
    sizes, measured = MEASURED[name]
    work = checking_work(PROGRAMS[name](sizes[0])), checking_work(PROGRAMS[name](sizes[1]))
    assert exponent(sizes, work) <= measured + SLACK, work


def test_faster_growth_is_noticed() -> None:
    def nested(n: int) -> int:
        return calls_in(lambda: [[abs_of(i - j) for j in range(n)] for i in range(n)])

    def abs_of(x: int) -> int:
        return abs(x)

    assert 1.8 < exponent((20, 40), (nested(20), nested(40))) < 2.1
