"""A factor that is not negative, and a summand, move in and out of a maximum or minimum."""

from __future__ import annotations

import pytest

from optigpu.logic import terms as k
from optigpu.logic.cells import arguments
from optigpu.logic.equality import Cases, Equality, Into, Maximum
from optigpu.logic.facts import Facts
from optigpu.logic.judge import ObligationJudge
from optigpu.logic.terms import INT, REAL, TRUE, ZERO, Term
from tests.support.verdicts import VERIFIED, verdict_of

PROGRAM = """float f(int n, float k, float a[n]) {{
  __requires("A: int -> float, n >= 1, {requires}");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == {ensures}");
  float m = a[0];
  for (int i = 1; i < n; i++) m = {pick}(m, a[i]);
  return {value};
}}
"""


def program(requires: str, pick: str, value: str, ensures: str) -> str:
    return PROGRAM.format(requires=requires, pick=pick, value=value, ensures=ensures)


@pytest.mark.parametrize(
    "case",
    [
        ("true", "fmaxf", "k + m", "Max(i in 0..n, k + A(i))"),
        ("true", "fmaxf", "m - k", "Max(i in 0..n, A(i) - k)"),
        ("true", "fmaxf", "2.0f * m", "Max(i in 0..n, 2.0f * A(i))"),
        ("true", "fmaxf", "2.0f * m + k", "Max(i in 0..n, k + 2.0f * A(i))"),
        ("k >= 0", "fmaxf", "k * m", "Max(i in 0..n, k * A(i))"),
        ("true", "fminf", "k + m", "Min(i in 0..n, k + A(i))"),
        ("k >= 0", "fminf", "k * m", "Min(i in 0..n, k * A(i))"),
        ("true", "fmaxf", "k - m", "Min(i in 0..n, k - A(i))"),
        ("k <= 0", "fmaxf", "k * m", "Min(i in 0..n, k * A(i))"),
    ],
    ids=str,
)
def test_factors_and_summands_move_into_an_extremum(case: tuple[str, str, str, str]) -> None:
    assert verdict_of(program(*case)) == VERIFIED


@pytest.mark.parametrize(
    "case",
    [
        ("true", "fmaxf", "k * m", "Max(i in 0..n, k * A(i))"),  # k may be negative
        ("k <= 0", "fmaxf", "k * m", "Max(i in 0..n, k * A(i))"),
        ("true", "fmaxf", "-2.0f * m", "Max(i in 0..n, -2.0f * A(i))"),
        ("true", "fmaxf", "k - m", "Max(i in 0..n, k - A(i))"),
        ("true", "fmaxf", "k + m", "Max(i in 0..n, 2.0f * k + A(i))"),
        ("n > 1", "fmaxf", "k + m", "Max(i in 1..n, k + A(i))"),
        ("true", "fminf", "k + m", "Max(i in 0..n, k + A(i))"),
        ("true", "fmaxf", "2.0f * m", "Max(i in 0..n, 3.0f * A(i))"),
    ],
    ids=str,
)
def test_others_do_not(case: tuple[str, str, str, str]) -> None:
    assert verdict_of(program(*case)) == "OG307 4:14"


N, C, R = k.var("n", INT), k.var("c", REAL), k.var("r", REAL)
A = k.var("A", k.fun_sort((INT,), REAL))


def maximum(value: Term, high: Term = N) -> Term:
    """Max(i in 0..high, value), where value has A(i) as `bound`."""
    return k.big("fold_max", ZERO, high, value, k.instantiate(value, (ZERO,)))


AT = k.app(A, k.bound(0, INT))
SAME: Cases = ((Into(0, TRUE, 0, ()),), (Into(1, TRUE, 1, arguments(1)),))


@pytest.mark.parametrize(
    ("fact", "holds"), [(k.le(k.num(0, REAL), C), True), (k.lt(C, k.num(0, REAL)), False), (TRUE, False)], ids=str
)
def test_the_kernel_asks_for_the_sign_of_the_factor(fact: Term, holds: bool) -> None:
    """The same step, with terms that correspond to each other: it is the sign alone that decides."""
    inside = maximum(k.add(k.mul(C, AT), R))
    outside = k.add(k.mul(C, maximum(AT)), R)
    step = Maximum(inside, outside, SAME, SAME)
    assert Equality(ObligationJudge()).holds(Facts().assume(fact), inside, outside, (step,)) is holds


def test_an_empty_range_has_its_first_term() -> None:
    """Max(i in 0..n, f(i)) is f(0) for n <= 0, on both sides alike."""
    inside, outside = maximum(k.add(AT, R)), k.add(maximum(AT), R)
    facts = Facts().assume(k.le(N, ZERO))
    assert Equality(ObligationJudge()).holds(facts, inside, outside, ())
    assert Equality(ObligationJudge()).holds(Facts(), inside, outside, (Maximum(inside, outside, SAME, SAME),))
    assert not Equality(ObligationJudge()).holds(facts, inside, R, ())


def test_another_range_is_another_maximum() -> None:
    inside = maximum(k.add(AT, R), k.add(N, k.ONE))
    outside = k.add(maximum(AT), R)
    assert not Equality(ObligationJudge()).holds(Facts(), inside, outside, (Maximum(inside, outside, SAME, SAME),))
