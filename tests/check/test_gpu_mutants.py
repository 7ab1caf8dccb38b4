"""Random mutants of kernels: those that the checker verifies run without misbehaviour under random schedules."""

from __future__ import annotations

import random
import re

import pytest

from optigpu.check.verify import Verifier
from optigpu.interp.runner import Runner
from optigpu.interp.testing import test_function as run_tests
from optigpu.syntax.diagnostic import InputError
from tests.support.cases import clean_kernels
from tests.support.running import parse

run_tests.__test__ = False
CHANGES = [
    ("8", "4"), ("B", "2"), ("[t]", "[b]"), ("[b]", "[t]"), ("+", "-"), ("0", "1"), ("1", "0"), ("1", "2"), ("2", "3"), ("<", "<="),
    ("thread for", "for"), ("for", "thread for"), ("7 - t", "t"), ("[t]", "[7 - t]"), ("t + 1", "t"), ("[t]", "[t / 2]"),
    ("[t]", "[0]"),
    ("t < 8", "t < 4"), ("blocksync();", ""), ("__syncthreads();", ""), ("==", "!="), ("[b]", "[0]"), ("[b]", "[B - 1 - b]"),
]  # fmt: skip
INSERTIONS = [
    "blocksync();", "if (b == 0)", "const float c = d[b][0];", "d[b][0] = 1.0f;", "__shared__ float z[2];",
    "for (int q = 0; q < 2; q++)",
    "thread for (int q = 0; q < 8; q++) d[b][q] += 1.0f;", "thread for (int q = 0; q < 8; q++) if (q == 0) d[b][0] = d[b][1];",
]  # fmt: skip


def mutant(chance: random.Random, programs: list[str]) -> str:
    text = chance.choice(programs)
    if chance.random() < 0.7:  # promise only that the cells are there: wrong values must not hide races
        text = re.sub(r'h ~> Matrix2\(B, (\d+), fun b t -> [^"]*\)"', r'h ~> Cells2(B, \1)"', text)
    lines = text.split("\n")
    for _ in range(chance.randint(1, 3)):
        at, other = chance.randrange(4, len(lines) - 1), chance.randrange(4, len(lines) - 1)
        match chance.randrange(6):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, chance.choice(INSERTIONS))
            case 2:
                lines[at], lines[other] = lines[other], lines[at]
            case _:
                old, new = chance.choice(CHANGES)
                places = [m.start() for m in re.finditer(re.escape(old), lines[at])]
                if places:
                    place = chance.choice(places)
                    lines[at] = lines[at][:place] + new + lines[at][place + len(old) :]
    return "\n".join(lines)


# What is verified of 25 programs, by seed: without these, the test would say nothing.
VERIFIED = (10, 13, 14, 15)


@pytest.mark.parametrize("seed", range(4))
def test_verified_mutants_run_clean(seed: int) -> None:
    chance, verifier, checked, verified = random.Random(seed), Verifier(), 0, 0
    programs = [v.code() for v in clean_kernels()]
    while checked < 25:
        text = mutant(chance, programs)
        try:
            program = parse(text)
        except InputError:
            continue
        checked += 1
        if verifier.verify(program).verified:
            verified += 1
            report = run_tests(Runner(program), program.functions()[-1], seconds=1.0, most=8)
            assert report.failure is None, f"{report.failure}\n{text}"
    assert verified >= VERIFIED[seed]
