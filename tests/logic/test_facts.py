"""The normaliser: a simplified term keeps its value, and a proved goal is true, in every model of the facts."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from optigpu.elaborate.arithmetic_terms import pure_operation, quotient
from optigpu.logic import terms as k
from optigpu.logic.facts import Facts, Guide
from optigpu.logic.judge import ObligationJudge
from optigpu.logic.quantifiers import instance
from optigpu.logic.terms import INT, ONE, REAL, ZERO, Term
from optigpu.search.advice import SearchGuide
from optigpu.solver.z3_solver import Z3Solver
from tests.support.properties import accepted
from tests.support.random_facts import random_facts
from tests.support.terms import INTS, TermMaker, environment, evaluate


def models(facts: Facts, r: Random) -> list[dict[str, object]]:
    """Environments in which the facts hold, small ones by enumeration and random ones."""
    base = environment(r)
    out = []
    grid = list(product(range(-3, 6), repeat=len(INTS)))
    for chosen in r.sample(grid, 400):
        env = {**base, **dict(zip(INTS, chosen))}
        if all(evaluate(f, env) for f in facts.assumptions):
            out.append(env)
    return out


def simplified_has_the_same_value(seed: int) -> bool:
    """Whether a random term is changed by simplification, under facts that have a model. Its value stays in every model."""
    r = Random(seed)
    facts = random_facts(r)
    maker = TermMaker(r)
    term, meaning = r.choice([maker.integer, maker.real, maker.boolean])(3)
    simple = facts.simplify(term)
    environments = models(facts, r)
    for env in environments:
        extended = with_quotients(simple, env)
        assert evaluate(simple, extended) == meaning(env, ()), (facts.assumptions, term, simple)
    return simple is not term and bool(environments)


def test_simplification_keeps_the_value() -> None:
    assert accepted(simplified_has_the_same_value, 400) >= 48


def pixels(extra: int, d: Term) -> tuple[Facts, Term]:
    """An index t of h * d + extra pixels in rows of d; h >= 0, w >= 3."""
    w, h, t = (k.var(name, INT) for name in "wht")
    known = [k.le(k.num(3), w), k.le(ZERO, h), k.le(ZERO, t), k.lt(t, k.add(k.mul(h, d), k.num(extra)))]
    return Facts().assume(*known), k.fdiv(t, d)


@pytest.mark.parametrize("more", [4, 1, -2])
def test_quotient_by_a_sum_is_bounded(more: int) -> None:
    d = k.add(k.var("w", INT), k.num(more))
    facts, row = pixels(0, d)
    assert facts.proves(k.and_(k.le(ZERO, row), k.lt(row, k.var("h", INT))))
    rest = k.sub(k.var("t", INT), k.mul(d, row))
    assert facts.proves(k.and_(k.le(ZERO, rest), k.lt(rest, d)))


def test_quotient_by_a_sum_is_not_bounded_more_tightly() -> None:
    d = k.add(k.var("w", INT), k.num(4))
    facts, row = pixels(1, d)
    assert not facts.proves(k.lt(row, k.var("h", INT)))


def test_quotient_by_a_sum_that_may_be_zero_is_not_bounded() -> None:
    facts, row = pixels(0, k.sub(k.var("w", INT), k.num(3)))
    assert not facts.proves(k.lt(row, k.var("h", INT)))


def test_multiple_of_a_sum_is_taken_out_of_a_quotient() -> None:
    w, i, j = (k.var(name, INT) for name in "wij")
    d = k.add(w, k.num(4))
    facts = Facts().assume(k.le(ZERO, w), k.le(ZERO, j), k.lt(j, d))
    assert facts.simplify(k.fdiv(k.add(k.mul(d, i), j), d)) is i
    assert facts.simplify(k.fdiv(k.add(k.mul(d, k.sub(i, ONE)), j), d)) is k.sub(i, ONE)
    assert facts.simplify(k.fdiv(k.add(k.mul(w, i), j), d)) is not i


@pytest.mark.parametrize("d", [2, 3, 5])
def test_an_exact_quotient_has_one_form(d: int) -> None:
    """(i + j) div d and -((-i - j) div d) are equal where d divides i + j: a simplified term does not go back and forth."""
    n, by = k.add(k.var("i", INT), k.var("j", INT)), k.num(d)
    for known in (n, k.neg(n)):
        facts = Facts().assume(k.eq(known, k.mul(by, k.fdiv(known, by))))
        forms = [facts.simplify(t) for t in (k.fdiv(n, by), k.neg(k.fdiv(k.neg(n), by)))]
        assert [facts.simplify(t) for t in forms] == forms
        assert forms[0] is forms[1] or d == 2
    both = Facts().assume(*(k.eq(x, k.mul(by, k.fdiv(x, by))) for x in (n, k.neg(n))))
    assert both.simplify(k.fdiv(n, by)) is k.fdiv(n, by)


def with_quotients(t: Term, env: dict[str, object]) -> dict[str, object]:
    """`n/4` stands for n div 4, where 4 divides n."""
    out = dict(env)
    for x in t.free:
        if "/" in str(x.data):
            name, *divisors = str(x.data).split("/")
            value = out[name]
            for d in divisors:
                assert value % int(d) == 0  # type: ignore[operator]
                value = value // int(d)  # type: ignore[operator]
            out[str(x.data)] = value
    return out


def proved_goal_is_true(seed: int) -> bool:
    """Whether a random goal is proved from facts that have a model. If so, it is true in every model."""
    r = Random(seed)
    facts = random_facts(r)
    goal, meaning = TermMaker(r).boolean(2)
    judge = ObligationJudge(Z3Solver()) if seed % 3 == 0 else ObligationJudge()
    if not judge.proves(facts, goal):
        return False
    environments = models(facts, r)
    for env in environments:
        assert meaning(env, ()), (facts.assumptions, goal)
    return bool(environments)


def test_what_is_proved_is_true() -> None:
    assert accepted(proved_goal_is_true, 500) >= 27


def near_misses() -> list[tuple[list[Term], Term, bool]]:
    i, j, W, H, n, c, t = (k.var(x, INT) for x in ("i", "j", "W", "H", "n", "c", "t"))
    in_w = [k.le(ZERO, j), k.lt(j, W)]
    in_h = [k.le(ZERO, i), k.lt(i, H)]
    flat = k.add(k.mul(i, W), j)
    sixteen = k.num(16)
    of_four = [k.le(ZERO, i), k.lt(i, k.num(4))]

    def tiles(size: Term, less: int) -> Term:
        return k.fdiv(k.add(size, k.num(less)), sixteen)

    divides = [
        k.le(ZERO, n),
        k.eq(pure_operation("%", n, sixteen), ZERO),
        k.le(ZERO, t),
        k.lt(t, k.fdiv(n, sixteen)),
        k.le(ZERO, i),
        k.lt(i, sixteen),
    ]
    return [
        (in_w + in_h, k.lt(flat, k.mul(H, W)), True),
        (in_w + in_h, k.le(k.mul(H, W), flat), False),
        ([*in_w, k.le(ZERO, i), k.le(i, H)], k.lt(flat, k.mul(H, W)), False),
        ([k.lt(j, W), *in_h], k.le(ZERO, flat), False),
        (in_w + in_h, k.eq(k.fdiv(flat, W), i), True),
        ([k.le(ZERO, j), k.le(j, W), *in_h], k.eq(k.fdiv(flat, W), i), False),
        ([k.le(ZERO, c), k.lt(c, k.mul(H, W)), k.lt(ZERO, W)], k.lt(k.fdiv(c, W), H), True),
        ([k.le(ZERO, c), k.lt(c, k.mul(H, W))], k.lt(k.fdiv(c, W), H), False),
        ([k.le(ZERO, c), k.lt(c, k.mul(H, W)), k.le(ZERO, W), k.le(ZERO, H)], k.lt(ZERO, W), True),
        ([k.le(ZERO, c), k.lt(c, k.mul(H, W)), k.le(ZERO, W)], k.lt(ZERO, W), True),
        ([k.le(ZERO, c), k.lt(c, k.mul(H, W))], k.lt(ZERO, W), False),
        ([k.le(ZERO, c), k.lt(c, n)], k.lt(k.fdiv(c, sixteen), k.fdiv(k.add(n, k.num(15)), sixteen)), True),
        ([k.le(ZERO, c), k.lt(c, n)], k.lt(k.fdiv(c, sixteen), k.fdiv(k.add(n, k.num(14)), sixteen)), False),
        ([k.le(ZERO, c), k.lt(c, n)], k.lt(k.fdiv(c, tiles(n, 15)), sixteen), True),
        ([k.le(ZERO, c), k.le(c, n)], k.lt(k.fdiv(c, tiles(n, 15)), sixteen), False),
        ([k.le(ZERO, c), k.lt(c, n)], k.lt(k.fdiv(c, tiles(n, 14)), sixteen), False),
        ([k.le(ZERO, c), k.lt(c, n)], k.le(k.mul(tiles(n, 15), k.fdiv(c, tiles(n, 15))), c), True),
        ([k.le(ZERO, c), k.lt(c, n)], k.lt(k.mul(tiles(n, 15), k.fdiv(c, tiles(n, 15))), c), False),
        (divides, k.lt(k.add(k.mul(sixteen, t), i), n), True),
        (divides[1:], k.lt(k.add(k.mul(sixteen, t), i), k.sub(n, ONE)), False),
        ([k.le(ZERO, n), k.le(ZERO, c)], k.le(ZERO, k.mul(tiles(n, 14), tiles(c, 13))), True),
        ([k.le(k.num(-16), n), k.le(ZERO, c)], k.le(ZERO, k.mul(tiles(n, 14), tiles(c, 13))), False),
        ([*of_four, *(k.not_(k.eq(i, k.num(v))) for v in (1, 2, 3))], k.eq(i, ZERO), True),
        ([*of_four, *(k.not_(k.eq(i, k.num(v))) for v in (1, 3))], k.eq(i, ZERO), False),
        ([*of_four, *(k.not_(k.eq(i, k.num(v))) for v in (0, 1, 3))], k.eq(i, k.num(2)), True),
        ([k.le(k.num(2), n)], k.le(n, k.mul(n, n)), True),
        ([k.le(k.num(-2), n)], k.lt(n, k.mul(n, n)), False),
        ([k.lt(ZERO, n)], k.not_(k.eq(n, ZERO)), True),
        ([k.le(ZERO, n)], k.not_(k.eq(n, ZERO)), False),
        ([k.le(ZERO, n)], k.eq(quotient(n, k.num(2)), k.fdiv(n, k.num(2))), True),
        ([k.le(k.num(-1), n)], k.eq(quotient(n, k.num(2)), k.fdiv(n, k.num(2))), False),
        (
            [k.eq(k.fmod(n, sixteen), ONE)],
            k.eq(k.fdiv(k.add(n, k.num(15)), sixteen), k.add(k.fdiv(n, sixteen), ONE)),
            True,
        ),
        (
            [k.eq(k.fmod(n, sixteen), ONE)],
            k.eq(k.fdiv(k.add(n, k.num(14)), sixteen), k.add(k.fdiv(n, sixteen), ONE)),
            False,
        ),
    ]


@pytest.mark.parametrize(("facts", "goal", "expected"), near_misses(), ids=range(len(near_misses())))
def test_index_arithmetic_and_its_near_misses(facts: list[Term], goal: Term, expected: bool) -> None:
    assert Facts(SearchGuide()).assume(*facts).proves(goal) is expected or (
        expected and ObligationJudge(Z3Solver()).proves(Facts(SearchGuide()).assume(*facts), goal)
    )
    if not expected:
        assert not ObligationJudge(Z3Solver()).proves(Facts(SearchGuide()).assume(*facts), goal)


def test_most_index_arithmetic_needs_no_solver() -> None:
    wanted = [(f, g) for f, g, expected in near_misses() if expected]
    assert sum(Facts(SearchGuide()).assume(*f).proves(g) for f, g in wanted) >= len(wanted) - 1


def test_a_sum_is_positive_if_its_first_summand_is_and_none_is_negative() -> None:
    n, m, i = k.var("n", INT), k.var("m", INT), k.bound(0, INT)
    exp = k.function_var("exp", k.fun_sort((REAL,), REAL))
    inner = k.big("sum", i, m, k.app(exp, k.to_real(i)))
    positive = k.lt(k.num(0, REAL), k.big("sum", ZERO, n, inner))
    some, none = [k.lt(ZERO, n), k.lt(ZERO, m)], [k.le(ZERO, n), k.le(ZERO, m)]
    assert ObligationJudge(Z3Solver()).proves(Facts(SearchGuide()).assume(*some), positive)
    assert not ObligationJudge(Z3Solver()).proves(Facts(SearchGuide()).assume(*none), positive)
    assert not ObligationJudge(Z3Solver()).proves(Facts(SearchGuide()).assume(some[0]), positive)
    shifted = k.big("sum", ZERO, n, k.sub(inner, k.num(1, REAL)))
    assert not ObligationJudge(Z3Solver()).proves(Facts(SearchGuide()).assume(*some), k.lt(k.num(0, REAL), shifted))


def test_universal_facts_are_used_at_the_terms_that_occur() -> None:
    K = k.var("K", k.fun_sort((INT,), INT))
    n, i, b = (k.var(x, INT) for x in "nib")
    at = k.app(K, k.bound(0, INT))
    facts = Facts(SearchGuide()).assume(
        k.big("all", ZERO, n, k.and_(k.le(ZERO, at), k.lt(at, b))), k.le(ZERO, i), k.lt(i, n)
    )
    judge = ObligationJudge(Z3Solver())
    assert judge.proves(facts, k.lt(k.app(K, i), b))
    assert not judge.proves(facts, k.lt(k.app(K, k.add(i, ONE)), b))


def test_arbitrary_constants_are_new_wherever_facts_are_passed_on() -> None:
    facts = Facts(SearchGuide())
    (a,), one = facts.arbitrary(INT)
    (b,), two = one.arbitrary(INT)
    (c,), _ = two.assume(k.lt(a, b)).arbitrary(INT)
    assert len({a, b, c}) == 3


def test_contradictory_facts_prove_anything_and_consistent_ones_do_not() -> None:
    x = k.var("x", INT)
    assert ObligationJudge(Z3Solver()).proves(Facts(SearchGuide()).assume(k.lt(x, ZERO), k.lt(ZERO, x)), k.FALSE)
    assert not ObligationJudge(Z3Solver()).proves(Facts(SearchGuide()).assume(k.le(x, ZERO), k.le(ZERO, x)), k.FALSE)


def test_a_disjunction_decides_its_last_operand_and_conjunctions_that_it_excludes() -> None:
    a, b, c, d = (k.le(k.var(x, INT), k.num(3)) for x in "ijnm")
    facts = Facts(SearchGuide()).assume(k.or_(a, b, c), k.not_(c))
    for decided, value in (
        (k.or_(a, b), k.TRUE),
        (k.or_(a, b, d), k.TRUE),
        (k.and_(k.not_(a), k.not_(b)), k.FALSE),
        (k.and_(k.not_(a), k.not_(b), d), k.FALSE),
    ):
        assert facts.simplify(decided) is value
    for open_ in (a, b, k.or_(a, d), k.and_(a, b), k.and_(k.not_(a), d)):
        assert facts.simplify(open_) is open_
    assert facts.assume(k.not_(a)).simplify(b) is k.TRUE
    assert facts.assume(a).simplify(b) is b
    one, two = (k.app(k.var("A", k.fun_sort((INT,), REAL)), k.num(n)) for n in (1, 2))
    choice = k.ite(k.and_(k.not_(a), k.not_(b), d), one, two)
    assert facts.simplify(choice) is two
    assert Facts(SearchGuide()).assume(k.or_(a, b, c)).simplify(choice) is choice


class Liar(Guide):
    """Says that everything is refuted, and advises to use what is no fact."""

    def refutes(self, facts: Facts, p: Term) -> bool:
        return True

    def instances(self, universals: list[Term], ground: list[Term]) -> list[tuple[Term, tuple[Term, ...]]]:
        n = k.var("n", INT)
        return [(k.big("all", ZERO, ONE, k.le(ONE, ZERO)), (ZERO,)), (k.big("all", ZERO, n, k.lt(n, ZERO)), (ZERO,))]


def test_bad_advice_proves_nothing() -> None:
    n, K = k.var("n", INT), k.var("K", k.fun_sort((INT,), INT))
    every = k.big("all", ZERO, n, k.lt(ZERO, k.app(K, k.bound(0, INT))))
    facts = Facts(Liar()).assume(every, k.lt(ZERO, n))
    assert not ObligationJudge(Z3Solver()).proves(facts, k.lt(n, ZERO))
    assert not ObligationJudge(Z3Solver()).proves(facts, k.FALSE)
    for terms in ((), (n, n), (K,), (k.bound(0, INT),)):
        with pytest.raises(TypeError):
            instance(every, terms)
    assert instance(every, (n,)) is k.TRUE  # n < n is false


def choices(n: int) -> dict[str, tuple[list[Term], Term]]:
    """n choices, each in the condition of the next; or in one fact."""
    a = [k.var(f"a{i}", INT) for i in range(n + 1)]
    inside = a[0]
    for i in range(1, n + 1):
        inside = k.ite(k.lt(inside, a[i]), k.add(inside, k.num(i)), k.sub(inside, k.num(i)))
    beside = k.add(ZERO, *(k.ite(k.lt(ZERO, x), k.num(1), k.num(4)) for x in a[1:]))
    return {"inside each other": ([], inside), "in a fact": ([k.le(beside, a[0]), k.lt(ZERO, a[1])], beside)}


@pytest.mark.parametrize("name", choices(1))
def test_choices_do_not_multiply(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is assumed on the way grows with their number, not with the number of their combinations."""
    made: list[int] = []
    start = Facts.__init__
    monkeypatch.setattr(Facts, "__init__", lambda self, *args: (made.append(1), start(self, *args))[1])
    facts, term = choices(12)[name]
    simpler = Facts(SearchGuide()).assume(*facts).simplify(term)
    assert len(made) < 60
    r = Random(5)
    for _ in range(20):
        env = {f"a{i}": r.randint(-9, 9) for i in range(13)} | ({"a0": 60, "a1": 3} if facts else {})
        assert evaluate(simpler, env) == evaluate(term, env)
    assert not Facts(SearchGuide()).assume(*facts).proves(k.lt(term, k.num(-60)))


def test_what_is_known_is_not_learnt_again() -> None:
    n, x = k.var("n", INT), k.var("x", INT)
    facts = Facts(SearchGuide()).assume(k.le(ZERO, n), k.le(n, k.num(100)))
    assert facts.learn(k.le(k.fdiv(n, k.num(4)), k.num(25)), k.le(ZERO, k.add(n, n))) is facts
    more = facts.learn(k.and_(k.le(ZERO, n), k.le(x, n)))
    assert more.proves(k.le(x, k.num(100))) and more.assumptions[-1] is k.le(x, n)
    assert len(more.assumptions) == len(facts.assumptions) + 1
    assert not facts.proves(k.le(x, n)) and facts.learn(k.le(n, k.num(99))).proves(k.lt(n, k.num(100)))
    assert facts.learn(k.lt(n, ZERO)).proves(k.lt(n, ZERO))
    with pytest.raises(TypeError):
        facts.learn(k.le(k.bound(0, INT), n))
