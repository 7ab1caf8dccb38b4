"""What the search relies on: exact division of polynomials, samples that satisfy the facts, refutation by a sample."""

from __future__ import annotations

from random import Random

import pytest

from optigpu.logic import terms as k
from optigpu.logic.facts import Facts
from optigpu.logic.judge import ObligationJudge
from optigpu.logic.terms import INT, ONE, REAL, ZERO, Term
from optigpu.search.equalities.sum_terms import lower_bound, upper_bound
from optigpu.search.evaluation import evaluate
from optigpu.search.polynomial_division import exact_quotient
from optigpu.search.refutation import differ, refuted, refuted_uninterpreted
from optigpu.search.samples import samples
from optigpu.solver.z3_queries import query_of
from optigpu.solver.z3_solver import Z3_RLIMIT, Z3Solver
from tests.support.properties import accepted
from tests.support.random_facts import random_facts
from tests.support.terms import TermMaker

W, H, BLOCK, T = (k.var(n, INT) for n in "WHbt")
SIXTEEN = k.num(16)


def tiles(size: Term, more: int) -> Term:
    return k.fdiv(k.add(size, k.num(more)), SIXTEEN)


def polynomial(r: Random) -> Term:
    atoms = [W, H, tiles(H, 6), tiles(W, 15)]
    return k.add(*(k.mul(k.num(r.randint(-4, 4)), *r.sample(atoms, r.randint(0, 2))) for _ in range(r.randint(1, 3))))


def divides_out(seed: int) -> bool:
    r = Random(seed)
    a, b = polynomial(r), polynomial(r)
    if b is ZERO:
        return False
    assert exact_quotient(k.mul(a, b), b) is a
    rest = k.add(k.mul(a, b), ONE)
    assert exact_quotient(rest, b) is None or k.mul(exact_quotient(rest, b), b) is rest
    return True


def test_a_product_divided_by_a_factor_is_the_other() -> None:
    assert accepted(divides_out, 100) >= 90


@pytest.mark.parametrize("extent", [ZERO, k.add(W, ONE), k.mul(W, W), k.num(3)])
def test_what_does_not_divide_the_threads_is_found_not_to(extent: Term) -> None:
    assert exact_quotient(k.mul(k.num(256), k.add(tiles(H, 6), ONE), W), extent) is None


LAST_BLOCK = [
    k.le(ZERO, H),
    k.le(ZERO, BLOCK),
    k.lt(BLOCK, tiles(H, 15)),
    k.lt(k.mul(SIXTEEN, BLOCK), H),
    k.lt(H, k.mul(SIXTEEN, k.add(BLOCK, ONE))),
    k.or_(k.eq(T, k.num(15)), k.and_(k.eq(T, ZERO), k.lt(ZERO, BLOCK))),
    k.lt(k.add(k.mul(SIXTEEN, BLOCK), T), H),
]


def test_samples_are_found_for_the_block_at_the_end() -> None:
    facts = Facts()
    for f in LAST_BLOCK:
        facts = facts.assume(f)
        assert samples(facts), f
        assert all(evaluate(i, env) for i in facts.items for env in samples(facts))


def test_what_holds_of_no_number_has_no_samples() -> None:
    assert samples(Facts().assume(*LAST_BLOCK, k.lt(H, BLOCK))) == []


def different_is_not_equal(seed: int) -> bool:
    r = Random(seed)
    facts, maker = random_facts(r), TermMaker(r)
    make = r.choice([maker.integer, maker.real])
    a, b = make(2)[0], make(2)[0]
    assert not differ(facts, a, facts.simplify(a))
    if not differ(facts, a, b):
        return False
    assert not ObligationJudge(Z3Solver()).proves(facts, k.eq(a, b))
    return True


def test_what_differs_in_a_model_is_not_proved_equal() -> None:
    assert accepted(different_is_not_equal, 150) >= 110


def refuted_is_not_proved(seed: int) -> bool:
    r = Random(seed)
    facts, maker = random_facts(r), TermMaker(r)
    goal = maker.boolean(2)[0]
    false = refuted(facts, goal)
    if false:
        assert not ObligationJudge(Z3Solver()).proves(facts, goal)
    reduced = facts.reduce(goal)
    if refuted_uninterpreted(facts, reduced):
        assert not Z3Solver().valid([i for i in facts.items if i.op not in ("all", "forall")], reduced)
    return false


def test_what_a_model_refutes_is_not_proved() -> None:
    assert accepted(refuted_is_not_proved, 150) >= 75


def test_models_refute_what_is_false_and_nothing_that_follows() -> None:
    a = k.var("A", k.fun_sort((INT,), REAL))
    facts = Facts().assume(k.le(ZERO, T), k.lt(T, SIXTEEN))
    whole = k.big("sum", ZERO, T, k.app(a, k.bound(0, INT)))
    zero = k.num(0, REAL)
    assert refuted(facts, k.eq(T, ZERO)) and refuted_uninterpreted(facts, k.eq(T, ZERO))
    assert refuted_uninterpreted(facts, k.eq(whole, zero)) and refuted_uninterpreted(facts, k.le(zero, k.app(a, T)))
    for goal in (
        k.le(T, k.num(15)),
        k.eq(k.app(a, T), k.app(a, k.add(T, ZERO))),
        k.implies(k.eq(T, ZERO), k.eq(whole, zero)),
    ):
        assert not refuted(facts, goal)
    assert not refuted_uninterpreted(facts, k.lt(zero, whole))  # sums may be known to be positive
    contradiction = facts.assume(k.lt(SIXTEEN, T))
    assert not refuted(contradiction, k.FALSE) and not refuted_uninterpreted(contradiction, k.FALSE)


def test_sums_that_differ_are_told_apart() -> None:
    a = k.var("A", k.fun_sort((INT,), REAL))
    facts = Facts().assume(k.le(ONE, W), k.le(W, k.num(40)))
    summand = k.app(a, k.bound(0, INT))
    whole, short = (k.big("sum", ZERO, high, summand) for high in (W, k.sub(W, ONE)))
    assert differ(facts, whole, short)
    assert not differ(facts, whole, k.add(short, k.app(a, k.sub(W, ONE))))
    everywhere = k.big("all", ZERO, k.num(50), k.eq(summand, k.num(0, REAL)))
    assert not differ(facts.assume(everywhere), whole, short)


def test_only_conditions_on_integers_bound_an_index() -> None:
    i, value = k.var("i", INT), k.app(k.var("B", k.fun_sort((INT,), REAL)), k.var("i", INT))
    assert upper_bound(k.lt(i, W), i) is W and lower_bound(k.le(W, i), i) is W
    on_values = k.le(value, k.num(1, REAL))
    assert upper_bound(on_values, i) is None and lower_bound(on_values, i) is None


def test_the_solvers_work_does_not_depend_on_earlier_questions() -> None:
    """A limit on its work would make answers depend on them, too."""

    def work() -> int:
        query, _ = query_of(LAST_BLOCK, k.lt(T, k.num(7)), 0, Z3_RLIMIT)
        query.check()
        return int(query.statistics().get_key_value("rlimit count"))

    first = work()
    for n in range(20):
        Z3Solver().valid([k.le(W, k.num(n)), k.le(H, W)], k.lt(k.add(W, H), k.num(3 * n)))
    assert work() == first
