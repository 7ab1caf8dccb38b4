"""Universal facts with their quantifiers in front mean what the facts mean, and instances follow from them."""

from __future__ import annotations

from itertools import product

import pytest

from optigpu.logic import terms as k
from optigpu.logic.quantifiers import instance, universals
from optigpu.logic.terms import BOOL, INT, Term, bound, fun_sort, var

N = var("n", INT)
A = var("A", fun_sort((INT, INT), INT))
P = var("P", fun_sort((INT,), BOOL))
LOW, HIGH = -2, 3  # the integers of the finite model
X, Y = var("x", INT), var("y", INT)
OUTER, K = bound(1, INT), bound(0, INT)  # under two binders


def holds(t: Term, values: dict[Term, int]) -> bool:
    """The truth of a fact whose quantifiers range over the integers of the model; functions are numbers of their arguments."""
    if t.op in ("all", "forall"):
        n = t.binds
        indices = product(range(LOW, HIGH), repeat=n)
        if t.op == "all":
            low, high = (number(a, values) for a in t.args[:2])
            indices = product(range(max(low, LOW), min(high, HIGH)))
        return all(holds(k.instantiate(t.args[-1], tuple(k.num(i) for i in x)), values) for x in indices)
    match t.op:
        case "and":
            return all(holds(a, values) for a in t.args)
        case "or":
            return any(holds(a, values) for a in t.args)
        case "not":
            return not holds(t.args[0], values)
        case "true" | "false":
            return t.op == "true"
        case "le":
            return number(t.args[0], values) <= 0
        case "eq":
            return number(t.args[0], values) == 0
        case _:
            return (number(t.args[1], values) * 7 + 3) % 5 < 3


def number(t: Term, values: dict[Term, int]) -> int:
    if t.op == "app":
        x, y = (number(a, values) for a in t.args[1:])
        return (x * 5 + y * 3 + x * y) % 4
    total = 0
    for m, c in k.coefficients(t).items():
        factor = c
        for a in m:
            factor *= values[a] if a.op == "var" else number(a, values)
        total += factor
    return int(total)


def all_(low: Term, high: Term, body: Term) -> Term:
    return k.big("all", low, high, body)


def small(c: int) -> Term:
    """A(i, k) is at most c, under the binders of i and k."""
    return k.le(k.app(A, OUTER, K), k.num(c))


FACTS = {
    "pairs": lambda c: all_(k.ZERO, N, all_(k.ZERO, N, small(c))),
    "triangle": lambda c: all_(k.ZERO, N, all_(bound(0, INT), N, small(c))),
    "row and pairs": lambda c: all_(k.num(-1), N, k.and_(k.app(P, K), all_(k.ZERO, k.add(K, k.num(1)), small(c)))),
    "under a condition": lambda c: k.implies(k.lt(k.ZERO, N), all_(k.ZERO, N, all_(k.ZERO, k.num(c), small(c)))),
    "one operand": lambda c: all_(k.ZERO, N, k.or_(k.app(P, K), all_(K, N, small(c)))),
    "two operands": lambda c: all_(k.ZERO, N, k.or_(all_(K, N, small(c)), all_(k.ZERO, N, small(1)))),
    "negated": lambda c: all_(k.ZERO, N, k.not_(all_(k.ZERO, N, small(c)))),
    "all integers": lambda c: k.forall((X, Y), k.or_(k.le(k.app(A, X, Y), k.num(c)), k.lt(X, N))),
    "all integers, inside": lambda c: all_(k.ZERO, N, k.forall((Y,), k.le(k.app(A, K, Y), k.num(c)))),
}


@pytest.mark.parametrize("name", FACTS)
def test_quantifiers_in_front_keep_the_meaning(name: str) -> None:
    """Together, the universal facts of a fact hold where the fact holds. What is left out cannot be said with one prefix."""
    told_apart = set()
    for c, n in product(range(4), range(LOW, HIGH)):
        fact = FACTS[name](c)
        meant = holds(fact, {N: n})
        said = all(holds(u, {N: n}) for u in universals(fact))
        told_apart.add(meant)
        assert said or not meant, f"{fact} for n = {n}"
        if name not in ("two operands", "negated"):
            assert meant == said, f"{fact} for n = {n}"
    assert told_apart == {True, False}


def test_nested_ranges_are_one_prefix() -> None:
    (u,) = universals(FACTS["triangle"](0))
    inside = k.and_(k.le(k.ZERO, X), k.lt(X, N), k.le(X, Y), k.lt(Y, N))
    assert u.op == "forall" and u.data == (INT, INT)
    assert instance(u, (X, Y)) is k.implies(inside, k.le(k.app(A, X, Y), k.ZERO))


@pytest.mark.parametrize("name", ("two operands", "negated"))
def test_other_quantifiers_stay_where_they_are(name: str) -> None:
    assert all(not {"all", "forall"}.isdisjoint(u.args[-1].ops) for u in universals(FACTS[name](0)))


def test_a_fact_without_quantifiers_has_no_universals() -> None:
    assert universals(k.le(N, k.ZERO)) == ()
    assert universals(k.not_(FACTS["pairs"](0))) == ()


def test_an_instance_needs_as_many_closed_terms_as_variables() -> None:
    (u,) = universals(FACTS["pairs"](0))
    for args in ((N,), (N, bound(0, INT)), (N, k.num(1, k.REAL))):
        with pytest.raises(TypeError):
            instance(u, args)
