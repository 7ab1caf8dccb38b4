"""Laws of quotients, and of choices beside conditions that decide them: what is simplified has the same value everywhere."""

from __future__ import annotations

from itertools import product

import pytest

from optigpu.logic import terms as k
from optigpu.logic.facts import Facts
from optigpu.logic.terms import INT, ZERO, Term
from tests.support.terms import evaluate

X, Y = k.var("x", INT), k.var("y", INT)
LOW, HIGH = -9, 9


def facts(*more: Term) -> Facts:
    """LOW <= x <= HIGH, 0 <= y <= HIGH, and more."""
    return Facts().assume(k.le(k.num(LOW), X), k.le(X, k.num(HIGH)), k.le(ZERO, Y), k.le(Y, k.num(HIGH)), *more)


def numbers() -> list[dict[str, int]]:
    return [{"x": x, "y": y} for x in range(LOW, HIGH + 1) for y in range(HIGH + 1)]


@pytest.mark.parametrize("d", [1, 2, 3, 7, 10, 40])
def test_quotients_keep_their_value(d: int) -> None:
    for a, b, c in product((-d, 1 - d, -1, 1, d - 1, d // 2, d + 1), (-1, 0, 1, d - 1), (-1, 0, d)):
        t = k.fdiv(k.add(k.scale(a, X), k.scale(b, Y), k.num(c)), k.num(d))
        simpler = facts().simplify(t)
        assert all(evaluate(t, env) == evaluate(simpler, env) for env in numbers()), (a, b, c)


def test_a_multiple_is_taken_out_to_the_nearest() -> None:
    """(747 * q + r) div 997 is q if 0 <= r - 250 * q <= 996: here q = x div 1000 and r = x div 4."""
    known = Facts().assume(k.le(ZERO, X))
    inside = k.add(k.scale(747, k.fdiv(X, k.num(1000))), k.fdiv(X, k.num(4)))
    assert known.simplify(k.fdiv(inside, k.num(997))) is k.fdiv(X, k.num(1000))


@pytest.mark.parametrize("divisor", [249, 100, 2])
def test_what_may_be_more_is_not_taken_out(divisor: int) -> None:
    """x mod 1000 div 4 is up to 249."""
    known = Facts().assume(k.le(ZERO, X))
    digits = k.fdiv(k.fmod(X, k.num(1000)), k.num(4))
    assert known.simplify(k.fdiv(digits, k.num(divisor))) is not ZERO
    assert known.simplify(k.fdiv(digits, k.num(250))) is ZERO


def test_without_a_lower_bound_nothing_is_taken_out() -> None:
    y = k.fdiv(Y, k.num(3))
    assert Facts().simplify(k.fdiv(k.add(k.scale(996, Y), y), k.num(997))) is not k.sub(Y, k.num(1))


def test_conditions_decide_choices_beside_them() -> None:
    """x >= y and (x >= y ? x - y : y - x) < 3."""
    choice = k.ite(k.le(Y, X), k.sub(X, Y), k.fdiv(k.sub(Y, X), k.num(2)))
    for test in (k.le(Y, X), k.lt(X, Y), k.eq(X, Y), k.eq(k.fmod(X, k.num(2)), ZERO), k.not_(k.eq(X, Y))):
        t = k.and_(test, k.lt(choice, k.num(3)), k.eq(k.fmod(choice, k.num(2)), ZERO))
        simpler = facts().simplify(t)
        assert simpler.free <= {X, Y}
        assert all(bool(evaluate(t, env)) == bool(evaluate(simpler, env)) for env in numbers()), test
    decided = facts().simplify(k.and_(k.le(Y, X), k.lt(choice, k.num(3))))
    assert "ite" not in decided.ops


def test_a_condition_decides_nothing_in_other_conjuncts_than_it_is_in() -> None:
    """The choice of a conjunction is not decided outside of it."""
    choice = k.ite(k.le(Y, X), X, Y)
    t = k.or_(k.and_(k.le(Y, X), k.eq(choice, k.num(3))), k.eq(choice, k.num(4)))
    simpler = facts().simplify(t)
    assert all(bool(evaluate(t, env)) == bool(evaluate(simpler, env)) for env in numbers())


def test_equations_that_contradict_the_facts_are_excluded() -> None:
    even = facts(k.eq(k.fmod(X, k.num(2)), ZERO))
    assert even.proves(k.not_(k.eq(X, k.num(3))))
    assert even.proves(k.not_(k.eq(X, k.num(HIGH + 1))))
    assert facts(k.lt(X, Y)).proves(k.not_(k.eq(X, Y)))


def test_equations_that_the_facts_allow_are_not_excluded() -> None:
    even = facts(k.eq(k.fmod(X, k.num(2)), ZERO))
    assert not even.proves(k.not_(k.eq(X, k.num(4))))
    assert not facts(k.le(X, Y)).proves(k.not_(k.eq(X, Y)))
    assert not facts(k.le(X, Y)).proves(k.not_(k.eq(X, k.num(HIGH))))
