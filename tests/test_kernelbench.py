"""The operators of KernelBench level 1: all of them are there, and one of each family goes from the program to the stand-in.

`python -m benchmarks.kernelbench.run` does so with all of them.
"""

from __future__ import annotations

import pytest
from benchmarks.kernelbench import OPERATORS, Operator
from benchmarks.kernelbench.run import PROGRAMS, checked, compared, good, scripted, twin

ONE_OF_A_FAMILY = (4, 12, 20, 23, 36, 37, 40, 44, 47, 51, 82, 90, 93, 98)
OF_LONG_PROOFS = (16, 67)  # products and convolutions, of which tests/schedules has others
CHECKED = (2, 14, 27, 29, 33, 39, 54, 64, 90, 95, 98, 99)


def test_there_are_a_hundred() -> None:
    assert [o.number for o in OPERATORS] == list(range(1, 101))


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda o: o.name)
def test_the_twin_changes_the_body(operator: Operator) -> None:
    text = (PROGRAMS / f"{operator.name}.c").read_text(encoding="utf-8")
    assert operator.wrong[0] in text[text.index("\nvoid ") :]


@pytest.mark.parametrize("number", CHECKED)
def test_verified_and_its_twin_rejected(number: int) -> None:
    operator = OPERATORS[number - 1]
    row = checked(operator) | twin(operator)
    assert good(row), row


@pytest.mark.parametrize(
    "number", [*ONE_OF_A_FAMILY, *(pytest.param(n, marks=pytest.mark.slow) for n in OF_LONG_PROOFS)]
)
def test_from_the_program_to_the_stand_in(number: int) -> None:
    operator = OPERATORS[number - 1]
    row, built = scripted(operator)
    assert built is not None
    assert good(row | compared(operator, built))
