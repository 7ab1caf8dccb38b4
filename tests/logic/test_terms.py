"""Every law that a term constructor uses holds in the model: a normalised term has the value of the term that was built."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optigpu.logic import terms as k
from optigpu.logic.terms import INT, REAL
from tests.support.terms import FUNCTIONS, environment, evaluate, make

SEEDS = st.integers(0, 2**40)


@settings(max_examples=700, deadline=None)
@given(SEEDS, st.sampled_from(["int", "real", "bool"]), st.integers(0, 100))
def test_constructors_preserve_meaning(seed: int, kind: str, env_seed: int) -> None:
    term, meaning = make(seed, kind)
    env = environment(Random(env_seed))
    assert evaluate(term, env) == meaning(env, ())


@settings(max_examples=300, deadline=None)
@given(SEEDS, SEEDS, st.integers(0, 100))
def test_substitution_preserves_meaning(seed: int, other: int, env_seed: int) -> None:
    term, meaning = make(seed, "real")
    value, value_meaning = make(other, "int", 2)
    env = environment(Random(env_seed))
    substituted = k.substitute(term, {k.var("x", INT): value})
    value_after = evaluate(substituted, env)  # first: it refuses examples with huge powers
    assert value_after == meaning({**env, "x": value_meaning(env, ())}, ())


@settings(max_examples=300, deadline=None)
@given(SEEDS, SEEDS, st.integers(0, 100))
def test_binding_and_instantiating_is_substitution(seed: int, other: int, env_seed: int) -> None:
    term, _ = make(seed, "real")
    value, _ = make(other, "int", 2)
    x = k.var("x", INT)
    body = k.abstract(term, (x,))
    assert k.instantiate(body, (value,)) is k.substitute(term, {x: value})
    assert x not in body.free
    f = k.lam((x,), term)
    assert k.app(f, value) is k.substitute(term, {x: value})


@settings(max_examples=200, deadline=None)
@given(SEEDS)
def test_terms_are_interned(seed: int) -> None:
    a, _ = make(seed, "real")
    b, _ = make(seed, "real")
    assert a is b


def test_ring_laws_are_syntactic() -> None:
    x, y, z = (k.var(n, INT) for n in "xyz")
    assert k.mul(k.add(x, y), z) is k.add(k.mul(z, y), k.mul(x, z))
    assert k.sub(k.add(x, y), y) is x
    assert k.le(k.mul(k.num(4), x), k.num(7)) is k.le(x, k.num(1))
    assert k.not_(k.le(x, y)) is k.lt(y, x)
    assert k.eq(k.mul(k.num(2), x), k.num(3)) is k.FALSE


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        (lambda x, y: k.fdiv(k.add(k.mul(k.num(32), x), y), k.num(32)), lambda x, y: k.add(x, k.fdiv(y, k.num(32)))),
        (lambda x, y: k.fdiv(k.fdiv(x, k.num(4)), k.num(8)), lambda x, y: k.fdiv(x, k.num(32))),
        (lambda x, y: k.fdiv(k.add(k.mul(k.num(2), x), k.ONE), k.num(4)), lambda x, y: k.fdiv(x, k.num(2))),
        (lambda x, y: k.add(k.mul(k.num(5), k.fdiv(x, k.num(5))), k.fmod(x, k.num(5))), lambda x, y: x),
        (lambda x, y: k.bitwise("band", x, k.num(31)), lambda x, y: k.fmod(x, k.num(32))),
        (lambda x, y: k.max_(x, k.add(x, k.ONE), y), lambda x, y: k.max_(y, k.add(x, k.ONE))),
    ],
)
def test_laws_of_division(term, expected) -> None:
    x, y = k.var("x", INT), k.var("y", INT)
    assert term(x, y) is expected(x, y)


def test_sums_are_linear() -> None:
    A = k.var("A", FUNCTIONS["A"])
    n, u = k.var("n", INT), k.var("u", REAL)
    i = k.bound(0, INT)
    body = k.add(k.mul(u, k.app(A, i)), k.num(3, REAL))
    total = k.big("sum", k.ZERO, n, body)
    one = k.big("sum", k.ZERO, n, k.app(A, i))
    assert total is k.add(k.mul(u, one), k.scale(3, k.to_real(k.max_(k.ZERO, n))))
    assert k.big("sum", n, n, body) is k.num(0, REAL)
    assert k.big("sum", n, k.add(n, k.ONE), k.app(A, i)) is k.app(A, n)


def test_a_choice_by_the_same_condition_is_decided() -> None:
    x, y, z, w = (k.var(n, INT) for n in "xyzw")
    c = k.lt(x, w)
    assert k.ite(c, x, k.ite(c, y, z)) is k.ite(c, x, z)
    assert k.ite(c, k.ite(c, x, y), z) is k.ite(c, x, z)
    assert k.ite(k.not_(c), x, y) is k.ite(c, y, x)
    assert k.ite(c, x, x) is x


def test_maxima_and_minima_have_one_form() -> None:
    x, y = k.var("x", INT), k.var("y", INT)
    assert k.ite(k.lt(x, y), y, x) is k.max_(x, y)
    assert k.ite(k.le(x, y), x, y) is k.min_(x, y)
    A = k.var("A", FUNCTIONS["A"])
    fold = k.big("fold_max", k.ONE, x, k.app(A, k.bound(0, INT)), k.app(A, k.ZERO))
    assert k.max_(fold, k.app(A, y)).op == "fold_max"


def test_sorts_are_checked() -> None:
    with pytest.raises(TypeError):
        k.add(k.var("x", INT), k.var("u", REAL))
    with pytest.raises(TypeError):
        k.app(k.var("A", FUNCTIONS["A"]), k.num(1, REAL))
