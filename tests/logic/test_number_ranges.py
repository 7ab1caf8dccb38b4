"""Ranges of quotients and remainders: every value is inside, and a chain of them is bounded."""

from __future__ import annotations

from itertools import product

from optigpu.logic import terms as k
from optigpu.logic.bounds import BoundTable
from optigpu.logic.number_ranges import NumberRanges
from optigpu.logic.terms import INT, ZERO, Term
from tests.support.terms import evaluate

X = k.var("x", INT)
LAST = 59


def ranges() -> NumberRanges:
    """Under the facts 0 <= x <= LAST."""
    bounds = BoundTable(frozenset(), frozenset(), set())
    bounds.add_all((k.le(ZERO, X), k.le(X, k.num(LAST))))
    return NumberRanges(bounds)


def chain(x: Term, length: int) -> Term:
    """Quotients and remainders in turn."""
    for step in range(length):
        x = k.fdiv(x, k.num(2 + step % 3)) if step % 2 == 0 else k.fmod(x, k.num(50 - step))
    return x


def test_every_value_is_in_the_range() -> None:
    q, r, deep = k.fdiv(X, k.num(7)), k.fmod(X, k.num(7)), chain(k.scale(5, X), 4)
    choice = k.ite(k.le(X, k.num(3)), q, k.neg(X))
    for a, b, c, d in product((-6, -1, 1, 3), repeat=4):
        t = k.add(k.scale(a, k.fdiv(k.add(k.scale(b, X), q), k.num(3))), k.scale(c, r), k.scale(d, deep), choice)
        low, high = ranges().of(t)
        values = [evaluate(t, {str(X.data): x}) for x in range(LAST + 1)]
        assert low is not None and high is not None and low <= min(values) and max(values) <= high


def test_a_chain_is_bounded_by_its_last_remainder() -> None:
    low, high = ranges().of(chain(k.scale(10**9, X), 24))
    assert low == 0 and high is not None and high <= 50 - 23 - 1


def test_without_bounds_there_is_no_range() -> None:
    y = k.var("y", INT)
    assert ranges().of(k.fdiv(y, k.num(3))) == (None, None)
    assert ranges().of(k.mul(X, X)) == (None, None)
    assert ranges().of(k.fmod(y, k.num(3))) == (0, 2)


def test_choices_and_maxima_lie_between_their_parts() -> None:
    y = k.var("y", INT)
    choice = k.ite(k.le(y, ZERO), k.num(-3), k.fmod(X, k.num(7)))
    assert ranges().of(choice) == (-3, 6)
    assert ranges().of(k.max_(choice, k.num(4))) == (4, 6)
    assert ranges().of(k.max_(y, X)) == (0, None) and ranges().of(k.neg(k.max_(y, X))) == (None, 0)
    assert ranges().of(k.min_(y, X)) == (None, LAST)
    assert ranges().of(k.ite(k.le(y, ZERO), y, X)) == (None, None)
    for a, b in product((-2, -1, 1, 3), repeat=2):
        t = k.add(k.scale(a, k.max_(X, k.sub(k.num(9), X))), k.scale(b, k.ite(k.le(X, k.num(30)), X, k.num(-1))))
        low, high = ranges().of(t)
        values = [evaluate(t, {str(X.data): x}) for x in range(LAST + 1)]
        assert low is not None and high is not None and low <= min(values) and max(values) <= high
