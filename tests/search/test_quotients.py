"""Division and remainder of C, for numbers of either sign: a remainder that the contract fixes determines the quotient."""

from __future__ import annotations

import pytest

from optigpu.elaborate.arithmetic_terms import quotient, remainder
from optigpu.logic import terms as k
from optigpu.logic.facts import Facts
from optigpu.logic.terms import INT, ZERO
from tests.support.terms import evaluate
from tests.support.verdicts import VERIFIED, verdict_of


def divided(by: int, requires: str, ensures: str) -> str:
    return f'int f(int a) {{\n  __requires("{requires}");\n  __ensures("{ensures}");\n  return a / {by};\n}}\n'


ACCEPTED = [
    (2, "a % 2 == 0", "_Res * 2 == a"),
    (3, "a % 3 == 0", "_Res * 3 == a"),
    (3, "a % 3 == 0 && a < 0", "_Res * 3 == a"),
    (7, "a % 7 == 0", "_Res * 7 == a"),
    (3, "a % 3 == 1", "_Res * 3 + 1 == a"),
    (3, "a % 3 == -1", "_Res * 3 - 1 == a"),
    (2, "a % 6 == 0", "_Res * 2 == a"),
]
REJECTED = [
    (2, "a > 0", "_Res * 2 == a"),
    (2, "a % 2 == 1", "_Res * 2 == a"),
    (2, "a % 2 == -1", "_Res * 2 + 1 == a"),  # towards zero: -3 / 2 is -1
    (3, "a % 3 == -1", "_Res * 3 + 2 == a"),
    (4, "a % 2 == 0", "_Res * 4 == a"),
    (2, "a % 2 == 0", "_Res >= 0"),
]


@pytest.mark.parametrize("case", ACCEPTED, ids=str)
def test_a_remainder_determines_the_quotient(case: tuple[int, str, str]) -> None:
    assert verdict_of(divided(*case)) == VERIFIED


@pytest.mark.parametrize("case", REJECTED, ids=str)
def test_another_remainder_does_not(case: tuple[int, str, str]) -> None:
    assert verdict_of(divided(*case)) == "OG307 3:14"


@pytest.mark.parametrize("d", [2, 3, 5])
def test_simplified_terms_have_no_variables_that_the_facts_do_not_know(d: int) -> None:
    """A quotient that only one case of a choice is solved with does not leave that case."""
    a = k.var("a", INT)
    facts = Facts().assume(k.eq(remainder(a, k.num(d)), ZERO))
    goal = k.sub(k.mul(k.num(d), quotient(a, k.num(d))), a)
    for t in (facts.reduce(goal), facts.simplify(goal)):
        assert t.free <= {a}
        assert all(evaluate(t, {"a": n}) == 0 for n in range(-4 * d, 5 * d, d))
