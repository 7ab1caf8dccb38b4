"""The first index of the greatest value: its laws hold in a model, for ties, empty ranges and every cut."""

from __future__ import annotations

from itertools import product

import pytest

from optigpu.logic import terms as k
from optigpu.logic.equality import Equality, Extend, Split, split
from optigpu.logic.facts import Facts
from optigpu.logic.judge import ObligationJudge
from optigpu.logic.terms import BOOL, INT, ONE, REAL, ZERO, Term, fun_sort
from optigpu.logic.terms.core import interned
from optigpu.search.advice import SearchGuide
from optigpu.solver.z3_solver import Z3Solver
from tests.support.terms import evaluate

A = k.var("A", fun_sort((INT,), REAL))
P = k.var("P", fun_sort((INT,), BOOL))
n, m = (k.var(v, INT) for v in "nm")
I0 = k.bound(0, INT)
BODY = k.app(A, I0)
WHOLE = k.big("argmax", ZERO, n, BODY)


def equal(facts: list[Term], a: Term, b: Term, *steps: object) -> bool:
    return Equality(ObligationJudge(Z3Solver())).holds(Facts(SearchGuide()).assume(*facts), a, b, steps)  # type: ignore[arg-type]


def most(low: Term, high: Term) -> Term:
    return k.big("fold_max", low, high, BODY, k.app(A, low))


def tables() -> list[list[int]]:
    return [list(values) for size in range(5) for values in product((0, 1, 2), repeat=size)]


def value(t: Term, values: list[int], cut: int = 0) -> object:
    function = {"A": lambda i: values[i] if 0 <= i < len(values) else 7}
    return evaluate(t, {**function, "n": len(values), "m": cut})


@pytest.mark.parametrize("cut", range(1, 4))
def test_both_parts_of_a_cut_give_the_whole(cut: int) -> None:
    for values in (t for t in tables() if len(t) > cut):
        first = values.index(max(values))
        assert value(WHOLE, values) == first == value(split(WHOLE, m), values, cut)


def test_a_choice_that_is_a_longer_argmax() -> None:
    """`f(l) < max f over l..h ? argmax over l+1..h (or l..h) : l` is the argmax over l..h."""
    greater = k.lt(k.app(A, ZERO), most(ZERO, n))
    for low in (ONE, ZERO):
        shorter = k.big("argmax", low, n, BODY)
        assert k.ite(greater, shorter, ZERO) is WHOLE
        assert k.ite(k.not_(greater), ZERO, shorter) is WHOLE
        raw = interned("ite", (greater, shorter, ZERO), INT)
        for values in tables():
            assert value(raw, values) == value(WHOLE, values)
    two = k.big("argmax", k.num(2), n, BODY)
    assert k.ite(greater, two, ZERO) is not WHOLE
    assert k.ite(greater, k.big("argmax", ONE, n, BODY), ONE) is not WHOLE
    assert k.ite(k.le(k.app(A, ZERO), most(ZERO, n)), k.big("argmax", ONE, n, BODY), ZERO) is not WHOLE
    assert k.ite(k.lt(k.app(A, ZERO), most(ZERO, m)), k.big("argmax", ONE, n, BODY), ZERO) is not WHOLE


def test_a_cut_leaves_no_part_empty() -> None:
    parts = split(WHOLE, m)
    assert equal([k.lt(ZERO, m), k.lt(m, n)], WHOLE, parts, Split(WHOLE, m))
    assert not equal([k.le(ZERO, m), k.lt(m, n)], WHOLE, parts, Split(WHOLE, m))
    assert not equal([k.lt(ZERO, m), k.le(m, n)], WHOLE, parts, Split(WHOLE, m))
    last = k.ite(k.le(most(ZERO, m), most(m, n)), k.big("argmax", m, n, BODY), k.big("argmax", ZERO, m, BODY))
    assert not equal([k.lt(ZERO, m), k.lt(m, n)], WHOLE, last, Split(WHOLE, m))  # the last index of the greatest


def test_ranges_of_one_index_and_of_none() -> None:
    assert k.big("argmax", n, k.add(n, ONE), BODY) is n and k.big("argmax", n, n, BODY) is n
    assert k.big("argmax", n, k.sub(n, ONE), BODY) is n
    with pytest.raises(TypeError):
        k.big("argmax", ZERO, n, k.app(P, I0))


def test_the_index_is_in_the_range_if_there_is_one() -> None:
    judge, facts = ObligationJudge(Z3Solver()), Facts(SearchGuide())
    assert judge.proves(facts, k.le(ZERO, WHOLE))
    assert judge.proves(facts.assume(k.lt(ZERO, n)), k.lt(WHOLE, n))
    assert not judge.proves(facts, k.lt(WHOLE, n))
    assert not judge.proves(facts.assume(k.lt(ONE, n)), k.lt(WHOLE, k.sub(n, ONE)))


def test_bodies_that_are_equal_on_the_range_alone() -> None:
    chosen = k.big("argmax", ZERO, n, k.app(A, k.ite(k.lt(I0, n), I0, ZERO)))
    assert equal([], WHOLE, chosen, Extend(WHOLE, chosen.args[-1], ()))
    other = k.big("argmax", ZERO, n, k.app(A, k.ite(k.lt(I0, m), I0, ZERO)))
    assert not equal([], WHOLE, other, Extend(WHOLE, other.args[-1], ()))
