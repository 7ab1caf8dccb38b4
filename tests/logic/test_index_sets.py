"""Index sets of sums and products: without ranges, with guards around them, and terms replaced by equal ones."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from optigpu.logic import terms as k
from optigpu.logic.equality import Equality, Reindex, Replace, peel
from optigpu.logic.facts import Facts
from optigpu.logic.judge import ObligationJudge
from optigpu.logic.terms import INT, ONE, REAL, ZERO, Term, fun_sort
from optigpu.search.advice import SearchGuide
from optigpu.solver.z3_solver import Z3Solver
from tests.support.model import cell_list
from tests.support.terms import evaluate

A = k.var("A", fun_sort((INT,), REAL))
C = k.var("C", fun_sort((INT, INT), REAL))
n, m = (k.var(v, INT) for v in "nm")
I0, I1 = (k.bound(i, INT) for i in (0, 1))
NIL = k.num(0, REAL)


def equal(facts: list[Term], a: Term, b: Term, *steps: object) -> bool:
    return Equality(ObligationJudge(Z3Solver())).holds(Facts(SearchGuide()).assume(*facts), a, b, steps)  # type: ignore[arg-type]


def single(op: str, high: Term) -> Term:
    """The sum, or product, over 0..high of A(i) where m <= i <= m: an equation would replace i, and A(m) be moved out."""
    unit = k.num(int(op == "prod"), REAL)
    return k.big(op, ZERO, high, k.ite(k.and_(k.le(I0, m), k.le(m, I0)), k.app(A, I0), unit))


def test_a_sum_of_one_term_is_the_term_where_its_index_is_in_the_range() -> None:
    inside = k.and_(k.le(ZERO, m), k.lt(m, n))
    for op in ("sum", "prod"):
        old, unit = single(op, n), k.num(int(op == "prod"), REAL)
        guarded = k.ite(inside, k.app(A, m), unit)
        assert equal([], old, guarded, Reindex(old, guarded, (), (m,)))
        assert equal([inside], old, k.app(A, m), Reindex(old, k.app(A, m), (), (m,)))
        assert not equal([], old, k.app(A, m), Reindex(old, k.app(A, m), (), (m,)))  # m may be outside
        wrong = k.ite(inside, k.app(A, n), unit)
        assert not equal([], old, wrong, Reindex(old, wrong, (), (m,)))
        elsewhere = k.ite(inside, k.app(A, m), k.num(int(op == "sum"), REAL))  # the other operator's unit
        assert not equal([], old, elsewhere, Reindex(old, elsewhere, (), (m,)))
        shifted = k.add(m, ONE)
        assert not equal([], old, guarded, Reindex(old, guarded, (), (shifted,)))


def test_a_product_is_no_sum() -> None:
    sum_, product = (k.big(op, ZERO, n, k.app(A, I0)) for op in ("sum", "prod"))
    assert not equal([], sum_, product, Reindex(sum_, product, (I0,), (I0,)))
    assert not equal([], product, sum_, Reindex(product, sum_, (I0,), (I0,)))
    reversed_ = k.big("prod", ZERO, n, k.app(A, k.sub(k.sub(n, ONE), I0)))
    back = (k.sub(k.sub(n, ONE), I0),)
    assert equal([], product, reversed_, Reindex(product, reversed_, back, back))
    assert not equal([], product, reversed_, Reindex(product, reversed_, (I0,), (I0,)))


def test_a_guard_around_a_sum_is_a_part_of_its_index_set() -> None:
    total = k.big("sum", ZERO, n, k.app(A, I0))
    guarded = k.ite(k.lt(ZERO, m), total, NIL)
    found = peel(guarded, 1)
    assert found is not None and found.where is k.lt(ZERO, m)
    assert equal([k.lt(ZERO, m)], total, guarded, Reindex(total, guarded, (I0,), (I0,)))
    assert not equal([], total, guarded, Reindex(total, guarded, (I0,), (I0,)))
    one = k.ite(k.lt(ZERO, m), total, k.num(1, REAL))
    assert not equal([], total, one, Reindex(total, one, (I0,), (I0,)))


def test_terms_are_replaced_by_equal_ones_only() -> None:
    zero_at = k.eq(k.app(A, m), NIL)
    product = k.mul(k.app(A, m), k.app(A, n))
    assert equal([zero_at], product, NIL, Replace(k.app(A, m), NIL))
    assert not equal([], product, NIL, Replace(k.app(A, m), NIL))
    assert not equal([zero_at], product, NIL, Replace(k.app(A, n), NIL))
    assert not equal([], product, NIL, Replace(product, NIL))


def test_a_replaced_term_has_no_loose_index() -> None:
    """A loose index would be another number under each binder."""
    total = k.big("sum", ZERO, n, k.app(C, I0, m))
    assert not equal([], total, NIL, Replace(k.app(C, I0, m), NIL))
    zero_everywhere = k.eq(k.app(A, I0), k.app(A, I0))
    assert zero_everywhere is k.TRUE
    assert not equal([], total, NIL, Replace(k.app(C, I0, m), k.app(C, I0, m)))


def weighted(factor: Term, op: str = "sum") -> Term:
    """The sum over i in 0..n of the factor (under i) times the sum over p in 0..m of C(i, p); the same of products."""
    return k.big(op, ZERO, n, k.mul(factor, k.big(op, ZERO, m, k.app(C, I1, I0))))


def exchanged(summand: Term, op: str = "sum") -> Term:
    """The same ranges in the other order; the summand is under p and i."""
    return k.big(op, ZERO, m, k.big(op, ZERO, n, summand))


def test_a_factor_between_sums_belongs_to_the_summand() -> None:
    swapped = (I0, I1)
    old = weighted(k.app(A, I0))
    new = exchanged(k.mul(k.app(A, I0), k.app(C, I0, I1)))
    assert peel(old, 2) is None and peel(old, 2, factors=True) is not None
    assert equal([], old, new, Reindex(old, new, swapped, swapped))
    assert equal([], new, old, Reindex(new, old, swapped, swapped))
    scaled = k.scale(-3, old)
    assert equal([], scaled, k.scale(-3, new), Reindex(scaled, k.scale(-3, new), swapped, swapped))
    for wrong in (
        k.app(C, I0, I1),  # no factor
        k.mul(k.app(A, I1), k.app(C, I0, I1)),  # that of the other index
        k.mul(k.app(A, I0), k.app(A, I0), k.app(C, I0, I1)),  # twice
        k.mul(k.num(2, REAL), k.app(A, I0), k.app(C, I0, I1)),
    ):
        assert not equal([], old, exchanged(wrong), Reindex(old, exchanged(wrong), swapped, swapped))
    assert not equal([], old, new, Reindex(old, new, (I1, I0), (I1, I0)))


def test_a_factor_between_products_does_not() -> None:
    """Prod(i, a(i) * Prod(p, c)) has a(i) once, and not m times."""
    old, new = weighted(k.app(A, I0), "prod"), exchanged(k.mul(k.app(A, I0), k.app(C, I0, I1)), "prod")
    assert peel(old, 2, "prod", factors=True) is None
    assert not equal([], old, new, Reindex(old, new, (I0, I1), (I0, I1)))
    mixed = k.big("prod", ZERO, n, k.mul(k.app(A, I0), k.big("sum", ZERO, m, k.app(C, I1, I0))))
    assert peel(mixed, 2, factors=True) is None and peel(mixed, 2, "prod", factors=True) is None


@pytest.mark.parametrize("seed", range(60))
def test_an_index_set_with_factors_has_the_same_total(seed: int) -> None:
    """Nests with factors and guards at every level, over ranges that may be empty: the term is the sum over its index set."""
    r = Random(seed)
    x, y = k.var("x", INT), k.var("y", INT)
    atoms = [k.app(A, x), k.app(A, y), k.app(C, x, y), k.app(C, y, x), k.num(-2, REAL), k.num(Fraction(1, 2), REAL)]
    tests = [k.TRUE, k.lt(x, n), k.eq(k.add(x, y), m), k.le(ZERO, k.sub(x, y)), k.lt(ZERO, n)]

    def guarded(t: Term, allowed: list[Term]) -> Term:
        return k.ite(r.choice(allowed), k.mul(t, *r.sample(atoms, r.randint(0, 2))), NIL)

    inner = k.big(
        "sum", k.num(r.randint(-1, 1)), r.choice([m, n]), k.abstract(guarded(r.choice(atoms[:4]), tests), (y,))
    )
    t = k.big("sum", k.num(r.randint(-1, 1)), n, k.abstract(k.substitute(guarded(inner, tests), {y: m}), (x,)))
    whole = next((s for d in (2, 1) if (s := peel(t, d, factors=True)) is not None), None)
    for _ in range(6):
        env = {
            "n": r.randint(-1, 3),
            "m": r.randint(-1, 3),
            "A": lambda i: Fraction(3 * i - 1, 2),
            "C": lambda i, j: i * 5 + j,
        }
        if whole is not None:
            assert sum(summand for (summand,) in cell_list(whole, env)) == evaluate(t, env)
