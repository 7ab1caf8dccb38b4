"""Choices: what two branches share is written and simplified once, and the value stays what it was."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from optigpu.logic import terms as k
from optigpu.logic.facts import MAX_CASES, Facts
from optigpu.logic.terms import BOOL, FALSE, INT, REAL, TRUE, ZERO, Term
from optigpu.search.advice import SearchGuide
from tests.support.terms import evaluate

x, y, z = (k.var(name, INT) for name in "xyz")
u, v = (k.var(name, REAL) for name in "uv")
p, q = (k.var(name, BOOL) for name in "pq")
INTEGERS = [dict(zip("xyz", numbers)) for numbers in product((-5, -1, 0, 1, 2, 3, 7), repeat=3)]


def conditions(n: int, of: Term) -> list[Term]:
    """x % 2 == 0, x % 3 == 0, .."""
    return [k.eq(k.fmod(of, k.num(j + 2)), ZERO) for j in range(n)]


def test_a_number_that_conditions_change_in_turn_is_a_sum_of_choices() -> None:
    total, expected = ZERO, ZERO
    for j, c in enumerate(conditions(20, x)):
        total = k.ite(c, k.add(total, k.num(j + 1)), total)
        expected = k.add(expected, k.ite(c, k.num(j + 1), ZERO))
    assert total is expected
    assert total is not k.add(expected, k.ite(k.eq(k.fmod(x, k.num(5)), ZERO), k.num(1), ZERO))


@pytest.mark.parametrize("seed", range(60))
def test_choices_of_sums_mean_what_they_should(seed: int) -> None:
    """Random choices between sums that have summands in common: with equal, opposite or other coefficients, and as factors."""
    r = Random(seed)
    atoms = [
        k.ite(k.le(a, b), c, d) for a, b, c, d in product((x, y), (y, z, ZERO), (x, z), (k.num(2), y)) if a is not b
    ]
    for _ in range(20):
        shared = k.add(*(k.scale(r.choice((-2, -1, 1, 3)), r.choice(atoms)) for _ in range(2)))
        factor = k.mul(r.choice(atoms), r.choice((x, *atoms)))
        a, b = (k.add(r.choice((shared, k.neg(shared), factor, ZERO)), r.choice((shared, x, k.num(1)))) for _ in "ab")
        c = r.choice((k.le(x, z), k.lt(a, b), k.le(b, a), k.eq(x, y), k.le(r.choice(atoms), ZERO)))
        t = k.ite(c, a, b)
        for env in INTEGERS[seed % 7 :: 11]:
            assert evaluate(t, env) == (evaluate(a, env) if evaluate(c, env) else evaluate(b, env)), (c, a, b)


def test_choices_of_reals_share_summands_too() -> None:
    choice = k.ite(k.le(x, y), u, v)
    t = k.ite(k.le(y, z), k.add(choice, u), choice)
    assert t is k.add(choice, k.ite(k.le(y, z), u, k.num(0, REAL)))
    assert t is not k.ite(k.le(y, z), k.add(choice, u), k.neg(choice))


def test_choices_of_propositions_are_connectives() -> None:
    a, b = k.le(x, y), k.eq(y, z)
    assert k.ite(a, TRUE, b) is k.or_(a, b) and k.ite(a, b, TRUE) is k.or_(k.not_(a), b)
    assert k.ite(a, FALSE, b) is k.and_(k.not_(a), b) and k.ite(a, b, FALSE) is k.and_(a, b)
    for branches in product((TRUE, FALSE, p, q, k.not_(p), b), repeat=2):
        for c in (a, p, k.and_(p, a)):
            t = k.ite(c, *branches)
            for bools in product((True, False), repeat=2):
                for env in ({**e, **dict(zip("pq", bools))} for e in INTEGERS[::13]):
                    chosen = branches[0] if evaluate(c, env) else branches[1]
                    assert evaluate(t, env) == evaluate(chosen, env)


@pytest.mark.parametrize("seed", range(12))
def test_choices_that_both_branches_share_are_simplified_once(seed: int) -> None:
    """More of them than cases are distinguished, under facts that decide some: the value stays."""
    r = Random(seed)
    shared: Term = k.num(1)
    for j in r.sample(range(-6, 12), MAX_CASES + 6):
        shared = k.ite(
            r.choice((k.eq(x, k.num(j)), k.le(y, k.num(j)))), k.num(r.randrange(20)), k.add(shared, r.choice((y, z)))
        )
    test = r.choice((k.le(x, y), k.eq(k.fmod(x, k.num(4)), k.num(1))))
    t = k.ite(test, k.mul(shared, k.add(x, y)), k.sub(shared, z))
    known = [k.le(ZERO, x), k.le(x, k.num(5)), r.choice((k.le(y, k.num(2)), k.not_(k.eq(x, k.num(3)))))]
    simple = Facts(SearchGuide()).assume(*known).simplify(t)
    models = [e for e in INTEGERS if all(evaluate(f, e) for f in known)]
    assert models and all(evaluate(simple, e) == evaluate(t, e) for e in models)
    assert not any("?" in str(name.data) for name in simple.free)  # the arbitrary numbers are gone


def test_a_bound_is_sharpened_as_often_as_values_are_excluded() -> None:
    last = k.num(40)
    values = list(range(1, 41))
    Random(5).shuffle(values)
    facts = Facts().assume(k.le(ZERO, x), k.le(x, last), *(k.not_(k.eq(x, k.num(j))) for j in values))
    assert facts.proves(k.eq(x, ZERO))
    fewer = Facts().assume(k.le(ZERO, x), k.le(x, last), *(k.not_(k.eq(x, k.num(j))) for j in values if j != 17))
    assert not fewer.proves(k.eq(x, ZERO)) and fewer.proves(k.le(x, k.num(17)))
    assert not fewer.proves(k.lt(x, k.num(17)))


def test_an_excluded_value_inside_sharpens_nothing() -> None:
    facts = Facts().assume(k.le(x, k.num(9)), k.not_(k.eq(x, k.num(5))))
    assert facts.proves(k.le(x, k.num(9))) and not facts.proves(k.le(x, k.num(8)))
    assert facts.assume(k.le(x, k.num(5))).proves(k.le(x, k.num(4)))
    assert not facts.assume(k.le(k.scale(2, x), k.num(11))).proves(k.le(x, k.num(3)))
    both = Facts().assume(k.le(x, y), k.not_(k.eq(y, x)))
    assert both.proves(k.lt(x, y)) and not both.proves(k.lt(k.add(x, k.num(1)), y))


def test_a_choice_that_is_an_exponential() -> None:
    """Code has it so that the difference of two equal infinities is not computed."""
    exp, log = (k.function_var(name, k.fun_sort((REAL,), REAL)) for name in ("exp", "log"))
    one, a, b, difference = k.num(1, REAL), u, v, k.sub(u, v)
    e = k.app(exp, difference)
    assert k.ite(k.eq(a, b), one, e) is e and k.ite(k.not_(k.eq(b, a)), e, one) is e
    assert k.ite(k.eq(a, b), one, k.app(exp, k.neg(difference))) is k.app(exp, k.neg(difference))
    zero = k.num(0, REAL)
    for test, value, other in (
        (k.eq(a, b), zero, e), (k.eq(a, b), one, k.app(exp, k.add(a, b))), (k.eq(a, zero), one, e), (k.le(a, b), one, e),
        (k.not_(k.eq(a, b)), one, e), (k.eq(a, b), one, k.app(log, difference)),
        (k.eq(a, b), one, k.mul(a, e)),
    ):  # fmt: skip
        assert k.ite(test, value, other).op == "ite"
