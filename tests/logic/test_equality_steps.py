"""Laws of big operators: each step is accepted where it holds, rejected where it does not, and true in the model."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from optigpu.logic import terms as k
from optigpu.logic.equality import Case, Equality, Extend, Into, Maximum, Reindex, Split, Widen, maximum_parts, peel
from optigpu.logic.facts import Facts
from optigpu.logic.judge import ObligationJudge
from optigpu.logic.terms import INT, ONE, REAL, TRUE, ZERO, Term
from optigpu.search.advice import SearchGuide
from optigpu.search.equalities.equality_search import EqualitySearch
from optigpu.search.search_tools import SearchTools
from optigpu.solver.z3_solver import Z3Solver
from tests.support.properties import accepted
from tests.support.terms import FUNCTIONS, environment, evaluate

A = k.var("A", FUNCTIONS["A"])
B = k.var("B", FUNCTIONS["B"])
n, m, x = (k.var(v, INT) for v in "nmx")
I0, I1 = k.bound(0, INT), k.bound(1, INT)


def total(low: Term, high: Term, body: Term) -> Term:
    return k.big("sum", low, high, body)


def equal(facts: list[Term], a: Term, b: Term, *steps: object) -> bool:
    return Equality(ObligationJudge(Z3Solver())).holds(Facts(SearchGuide()).assume(*facts), a, b, steps)  # type: ignore[arg-type]


WHOLE = total(ZERO, n, k.app(A, I0))
PARTS = k.add(total(ZERO, m, k.app(A, I0)), total(m, n, k.app(A, I0)))


def test_splitting_needs_the_cut_inside() -> None:
    inside = [k.le(ZERO, m), k.le(m, n)]
    assert equal(inside, WHOLE, PARTS, Split(WHOLE, m))
    assert not equal(inside, WHOLE, PARTS)
    assert not equal(inside[:1], WHOLE, PARTS, Split(WHOLE, m))
    assert not equal(inside[1:], WHOLE, PARTS, Split(WHOLE, m))


def test_widening_needs_ordered_ends() -> None:
    part = total(m, n, k.app(A, I0))
    difference = k.sub(WHOLE, total(ZERO, m, k.app(A, I0)))
    inside = [k.le(ZERO, m), k.le(m, n)]
    assert equal(inside, part, difference, Widen(part, ZERO))
    assert not equal(inside, part, difference)
    assert not equal(inside[:1], part, difference, Widen(part, ZERO))  # m > n: the part is empty, the difference is not
    assert not equal(inside[1:], part, difference, Widen(part, ZERO))  # m < 0: the sum up to m is empty
    product = k.big("prod", m, n, k.app(A, I0))
    assert not equal(inside, product, k.ONE, Widen(product, ZERO))


def test_folds_split_too() -> None:
    def fold(lo: Term, hi: Term, start: Term) -> Term:
        return k.big("fold_max", lo, hi, k.app(A, I0), start)

    u = k.var("u", REAL)
    whole, maximum_parts = fold(ZERO, n, u), fold(m, n, fold(ZERO, m, u))
    assert equal([k.le(ZERO, m), k.le(m, n)], whole, maximum_parts, Split(whole, m))
    assert not equal([k.le(ZERO, m)], whole, maximum_parts, Split(whole, m))


REVERSED = total(ZERO, n, k.app(A, k.sub(k.sub(n, ONE), I0)))


def test_reindexing_needs_a_bijection() -> None:
    back = (k.sub(k.sub(n, ONE), I0),)
    assert equal([k.le(ZERO, n)], WHOLE, REVERSED, Reindex(WHOLE, REVERSED, back, back))
    assert not equal([], WHOLE, REVERSED, Reindex(WHOLE, REVERSED, (I0,), (I0,)))
    doubled = total(ZERO, n, k.app(A, ZERO))
    assert not equal([], WHOLE, doubled, Reindex(WHOLE, doubled, (ZERO,), (ZERO,)))
    shorter = total(ZERO, k.sub(n, ONE), k.app(A, I0))
    assert not equal([k.lt(ZERO, n)], WHOLE, shorter, Reindex(WHOLE, shorter, (I0,), (I0,)))
    longer = total(ZERO, k.add(n, ONE), k.app(A, I0))
    assert not equal([k.lt(ZERO, n)], WHOLE, longer, Reindex(WHOLE, longer, (I0,), (I0,)))


TILED = total(ZERO, m, total(ZERO, k.num(4), k.app(A, k.add(k.scale(4, I1), I0))))
TILE_MAPS = ((k.fdiv(I0, k.num(4)), k.fmod(I0, k.num(4))), (k.add(k.scale(4, I1), I0),))


def test_tiles_and_elements_are_the_whole() -> None:
    whole = total(ZERO, k.scale(4, m), k.app(A, I0))
    assert equal([k.le(ZERO, m)], whole, TILED, Reindex(whole, TILED, *TILE_MAPS))
    other = total(ZERO, k.add(k.scale(4, m), ONE), k.app(A, I0))
    assert not equal([k.le(ZERO, m)], other, TILED, Reindex(other, TILED, *TILE_MAPS))
    wrong = total(ZERO, m, total(ZERO, k.num(4), k.app(A, k.add(k.scale(3, I1), I0))))
    assert not equal([k.le(ZERO, m)], whole, wrong, Reindex(whole, wrong, *TILE_MAPS))


def test_guards_are_part_of_the_index_set() -> None:
    guarded = total(ZERO, n, k.ite(k.lt(I0, m), k.app(A, I0), k.num(0, REAL)))
    short = total(ZERO, m, k.app(A, I0))
    assert peel(guarded, 1) is not None
    assert equal([k.le(m, n)], guarded, short, Reindex(guarded, short, (I0,), (I0,)))
    assert not equal([], guarded, short, Reindex(guarded, short, (I0,), (I0,)))


def test_extensionality_knows_the_range_and_nothing_else() -> None:
    chosen = total(ZERO, n, k.app(A, k.ite(k.lt(I0, n), I0, ZERO)))
    assert equal([], WHOLE, chosen, Extend(WHOLE, chosen.args[-1], ()))
    outside = total(ZERO, n, k.app(A, k.ite(k.lt(I0, m), I0, ZERO)))
    assert not equal([], WHOLE, outside, Extend(WHOLE, outside.args[-1], ()))
    other_range = total(ZERO, m, k.app(A, I0))
    assert not equal([], WHOLE, other_range, Extend(WHOLE, other_range.args[-1], ()))


def test_cases_need_both_branches() -> None:
    c = k.le(n, ZERO)
    value = k.ite(c, k.num(0, REAL), WHOLE)
    assert equal([], value, WHOLE, Case(c, (), ()))
    assert not equal([], k.ite(c, k.num(1, REAL), WHOLE), WHOLE, Case(c, (), ()))


def test_a_case_of_another_condition_takes_no_branch() -> None:
    """Each branch is compared where its own condition holds: with the negation as a test, the branches are the other way round."""
    u, v = k.var("u", REAL), k.var("v", REAL)
    for c in (k.le(n, ZERO), k.eq(n, ZERO)):
        a, b = k.ite(c, u, v), k.ite(k.not_(c), u, v)
        for test in (c, k.not_(c)):
            assert equal([], a, k.ite(k.not_(c), v, u), Case(test, (), ()))
            assert not equal([], a, b, Case(test, (), ()))
        assert not equal([], a, u, Case(k.le(n, ONE), (), ()))
        assert equal([c], a, u, Case(c, (), ())) and not equal([c], a, v, Case(c, (), ()))
        assert not equal([k.not_(c)], a, u, Case(c, (), ()))


def most(low: Term, high: Term, body: Term, start: Term) -> Term:
    return k.big("fold_max", low, high, body, start)


def everywhere(binders: int, part: int, *to: Term) -> tuple[Into, ...]:
    return (Into(binders, TRUE, part, to),)


FOUR, U = k.num(4), k.var("u", REAL)
TILED_MOST = most(ZERO, m, most(ZERO, FOUR, k.app(A, k.add(k.scale(4, I1), I0)), U), U)
DIGITS, FORM = (k.fdiv(I0, FOUR), k.fmod(I0, FOUR)), k.add(k.scale(4, I1), I0)


def test_maxima_are_equal_if_each_term_of_one_is_in_the_other() -> None:
    """The tiles of TILED_MOST have the parts u, u for each tile, and the elements."""
    whole = most(ZERO, k.scale(4, m), k.app(A, I0), U)
    there = (everywhere(0, 0), everywhere(1, 0), everywhere(2, 1, FORM))
    back = (everywhere(0, 0), everywhere(1, 2, *DIGITS))
    step = Maximum(TILED_MOST, whole, there, back)
    assert equal([], TILED_MOST, whole, step)
    assert not equal([], TILED_MOST, whole)
    assert not equal([], TILED_MOST, whole, Maximum(TILED_MOST, whole, there, back[:1]))  # a part is left out
    assert not equal([], TILED_MOST, whole, Maximum(TILED_MOST, whole, there, (back[0], everywhere(1, 2, ZERO, I0))))


@pytest.mark.parametrize(
    "other",
    [
        most(ZERO, k.add(k.scale(4, m), ONE), k.app(A, I0), U),  # one element more
        most(ONE, k.scale(4, m), k.app(A, I0), U),  # the first one is missing
        most(ZERO, k.scale(4, m), k.app(A, k.add(I0, ONE)), U),  # shifted
        most(ZERO, k.scale(4, m), k.app(A, I0), k.num(0, REAL)),  # another initial value
        most(ZERO, k.scale(4, m), k.app(A, I0), k.max_(U, k.num(0, REAL))),
        most(ZERO, k.scale(4, m), k.app(A, I0), k.app(A, ZERO)),  # equal only if u is A(0) or less
    ],
)
def test_maxima_with_other_terms_are_not_equal(other: Term) -> None:
    there = (everywhere(0, 0), everywhere(1, 0), everywhere(2, len(maximum_parts(other)) - 1, FORM))
    back = (*(everywhere(0, 0) for _ in maximum_parts(other)[1:]), everywhere(1, 2, *DIGITS))
    assert not equal([k.lt(ZERO, m)], TILED_MOST, other, Maximum(TILED_MOST, other, there, back))
    assert (
        EqualitySearch(SearchTools(ObligationJudge(Z3Solver()))).find(
            Facts(SearchGuide()).assume(k.lt(ZERO, m)), TILED_MOST, other
        )
        is None
    )


def test_a_part_that_another_one_repeats_needs_no_place() -> None:
    """The initial value is the body at 0, which is a term of the maximum only if the range is not empty."""
    rows = most(ZERO, m, k.app(B, I1, I0), U)
    twice, once = most(ZERO, n, rows, most(ZERO, m, k.app(B, ZERO, I0), U)), most(ZERO, n, rows, U)
    back = (everywhere(0, 0), everywhere(1, 0), everywhere(2, 3, I1, I0))
    step = Maximum(twice, once, (everywhere(0, 0), (), everywhere(1, 0), everywhere(2, 2, I1, I0)), back)
    assert equal([k.lt(ZERO, n)], twice, once, step)
    assert not equal([], twice, once, step)
    other = most(ZERO, n, rows, most(ZERO, m, k.app(B, ONE, I0), U))  # the body at 1: there may be no such row
    assert not equal([k.lt(ZERO, n)], other, once, replace(step, old=other))
    nowhere = Maximum(twice, once, (everywhere(0, 0), (), everywhere(1, 0), ()), back)  # what repeats it needs one
    assert not equal([k.lt(ZERO, n)], twice, once, nowhere)


def test_an_initial_value_may_be_a_term_only_of_a_range_that_is_not_empty() -> None:
    first, both = most(ZERO, n, k.app(A, I0), k.app(A, ZERO)), most(ZERO, n, k.app(A, I0), U)
    step = Maximum(
        both, first, (everywhere(0, 1, ZERO), everywhere(1, 1, I0)), (everywhere(0, 1, ZERO), everywhere(1, 1, I0))
    )
    bounded = k.le(U, k.app(A, ZERO))
    assert equal([k.lt(ZERO, n), bounded], both, first, step)
    assert not equal([bounded], both, first, step)  # of nothing, one is u and the other A(0)
    assert not equal([k.lt(ZERO, n)], both, first, step)


def test_cases_of_a_part_are_all_there_are() -> None:
    """A(0), …, A(n) as A(n) and the others: the index n is in one place, smaller ones in another."""
    longer, apart = most(ZERO, k.add(n, ONE), k.app(A, I0), U), most(ZERO, n, k.app(A, I0), k.max_(U, k.app(A, n)))
    at_end, below = Into(1, k.eq(I0, n), 1, ()), Into(1, TRUE, 2, (I0,))
    if maximum_parts(apart)[0].index[0] is not U:
        at_end = Into(1, k.eq(I0, n), 0, ())
    back = tuple(
        everywhere(0, 0) if p.index[0] is U else everywhere(len(p.ranges), 1, I0 if p.ranges else n)
        for p in maximum_parts(apart)
    )
    start = everywhere(0, [p.index[0] for p in maximum_parts(apart)].index(U))
    assert equal([k.le(ZERO, n)], longer, apart, Maximum(longer, apart, (start, (at_end, below)), back))
    assert not equal([k.le(ZERO, n)], longer, apart, Maximum(longer, apart, (start, (at_end,)), back))
    assert not equal([k.le(ZERO, n)], longer, apart, Maximum(longer, apart, (start, (below,)), back))
    assert not equal([k.le(ZERO, n)], longer, apart, Maximum(longer, apart, (start, ()), back))
    assert not equal(
        [], longer, apart, Maximum(longer, apart, (start, (at_end, below)), back)
    )  # n < 0: A(n) is in one only


def random_maxima(r: Random) -> tuple[Term, Term]:
    """Two of one initial value and range, mostly: in tiles, backwards, in two parts, under a condition, with one more."""
    start = r.choice([U, k.num(0, REAL), k.app(A, ZERO), k.app(A, k.num(-1))])
    high = r.choice([n, k.scale(2, m), k.num(4)])

    def one() -> Term:
        hi = high if r.random() < 0.8 else k.add(high, ONE)
        mine = start if r.random() < 0.9 else k.max_(start, k.app(A, r.choice([ZERO, ONE, m])))
        match r.randrange(7):
            case 0:
                return most(r.choice([ZERO, ZERO, ONE]), hi, k.app(A, I0), mine)
            case 1:
                return most(ONE, k.add(hi, ONE), k.app(A, k.sub(I0, ONE)), mine)
            case 2:
                halves = k.fdiv(hi, k.num(2))
                return most(ZERO, halves, most(ZERO, k.num(2), k.app(A, k.add(k.scale(2, I1), I0)), mine), mine)
            case 3:
                return most(ZERO, k.add(hi, k.num(2)), k.ite(k.lt(I0, hi), k.app(A, I0), mine), mine)
            case 4:
                return k.max_(most(ZERO, k.sub(hi, ONE), k.app(A, I0), mine), k.app(A, k.sub(hi, ONE)))
            case 5:
                return most(m, hi, k.app(A, I0), most(ZERO, m, k.app(A, I0), mine))
            case _:
                return most(ZERO, hi, k.app(A, k.sub(k.sub(hi, ONE), I0)), mine)

    return one(), one()


MODEL_FACTS = [k.le(ZERO, n), k.le(ZERO, m), k.le(m, n), k.eq(n, k.scale(2, m)), k.lt(m, n), k.eq(n, m)]


def same_in_the_model(facts: Facts, a: Term, b: Term, seed: int) -> None:
    for vn in range(-2, 6):
        for vm in range(-2, 5):
            env = {**environment(Random(seed)), "n": vn, "m": vm}
            if all(evaluate(f, env) for f in facts.assumptions):
                assert evaluate(a, env) == evaluate(b, env), (facts.assumptions, a, b, vn, vm)


def maxima_proved_equal_are_equal(seed: int) -> bool:
    r = Random(seed)
    facts = Facts(SearchGuide()).assume(*r.sample(MODEL_FACTS, r.randint(0, 3)))
    a, b = random_maxima(r)
    judge = ObligationJudge(Z3Solver())
    steps = EqualitySearch(SearchTools(judge)).find(facts, a, b)
    if steps is None or not Equality(judge).holds(facts, a, b, steps):
        return False
    same_in_the_model(facts, a, b, seed)
    return a is not b


def test_maxima_that_are_proved_equal_are_equal() -> None:
    assert accepted(maxima_proved_equal_are_equal, 150) >= 42


def random_maps_prove_nothing_wrong(seed: int) -> bool:
    """Whether random maps between the parts of two maxima prove them equal. If so, they are equal in the model."""
    r = Random(seed)
    facts = Facts(SearchGuide()).assume(*r.sample(MODEL_FACTS, r.randint(0, 3)))
    a, b = random_maxima(r)
    mine, theirs = maximum_parts(a), maximum_parts(b)

    def cases(here: list[object], there: list[object]) -> tuple[tuple[Into, ...], ...]:
        out = []
        for p in here:
            binders = len(p.ranges)  # type: ignore[attr-defined]
            indices = [
                ZERO,
                k.sub(n, ONE),
                *(k.bound(i, INT) for i in range(binders)),
                *(k.bound(i, INT) for i in range(binders)),
            ]
            indices += [
                t
                for i in range(binders)
                for t in (k.fdiv(k.bound(i, INT), k.num(2)), k.fmod(k.bound(i, INT), k.num(2)))
            ]
            indices += [FORM] if binders == 2 else []
            tests = [TRUE, *(k.eq(x, y) for x, y in [r.sample(indices, 2)])]
            cs = []
            for test in reversed(tests[: r.randint(1, 2)]):
                q = r.randrange(len(there))
                cs.append(Into(binders, test, q, tuple(r.choice(indices) for _ in there[q].ranges)))  # type: ignore[attr-defined]
            out.append(tuple(cs))
        return tuple(out)

    for _ in range(10):
        step = Maximum(a, b, cases(list(mine), list(theirs)), cases(list(theirs), list(mine)))
        try:
            holds = Equality(ObligationJudge()).holds(facts, a, b, (step,))
        except TypeError:  # the simplified maximum has other binders than the step is for: refused
            continue
        if holds:
            same_in_the_model(facts, a, b, seed)
            return True
    return False


def test_random_maps_between_maxima_prove_nothing_wrong() -> None:
    assert accepted(random_maps_prove_nothing_wrong, 150) >= 10


@pytest.mark.parametrize(
    ("facts", "a", "b", "provable"),
    [
        ([k.le(ZERO, m), k.le(m, n)], WHOLE, PARTS, True),
        ([k.le(ZERO, n)], WHOLE, REVERSED, True),
        ([k.le(ZERO, m)], total(ZERO, k.scale(4, m), k.app(A, I0)), TILED, True),
        ([k.le(ZERO, m)], total(ZERO, k.scale(5, m), k.app(A, I0)), TILED, False),
        ([k.le(ZERO, n)], total(ZERO, k.add(n, ONE), k.app(A, I0)), k.add(WHOLE, k.app(A, n)), True),
        ([], total(ZERO, k.add(n, ONE), k.app(A, I0)), k.add(WHOLE, k.app(A, n)), False),
        ([], total(ZERO, n, total(ZERO, m, k.app(B, I1, I0))), total(ZERO, m, total(ZERO, n, k.app(B, I0, I1))), True),
        ([], total(ZERO, n, total(ZERO, m, k.app(B, I1, I0))), total(ZERO, n, total(ZERO, m, k.app(B, I0, I1))), False),
        ([k.le(ZERO, n)], total(ZERO, k.num(2), k.app(A, k.add(n, I0))), k.add(k.app(A, n), k.app(A, k.add(n, ONE))), True),
        ([k.le(ZERO, n)], total(ONE, k.add(n, ONE), k.app(A, k.sub(I0, ONE))), WHOLE, True),
        ([], most(ZERO, k.scale(4, m), k.app(A, I0), U), TILED_MOST, True),
        ([], most(ZERO, k.scale(5, m), k.app(A, I0), U), TILED_MOST, False),
        ([], most(ZERO, n, k.app(A, k.sub(k.sub(n, ONE), I0)), U), most(ZERO, n, k.app(A, I0), U), True),
        ([], most(ZERO, n, most(ZERO, m, k.app(B, I1, I0), U), U), most(ZERO, m, most(ZERO, n, k.app(B, I0, I1), U), U), True),
        ([], most(ZERO, n, most(ZERO, m, k.app(B, I1, I0), U), U), most(ZERO, m, most(ZERO, n, k.app(B, I1, I0), U), U), False),
        ([], most(ZERO, k.num(3), k.app(A, I0), k.app(A, ZERO)), k.max_(*(k.app(A, k.num(i)) for i in range(3))), True),
        ([], most(ZERO, k.num(3), k.app(A, I0), k.app(A, ZERO)), k.max_(*(k.app(A, k.num(i)) for i in range(2))), False),
    ],
)  # fmt: skip
def test_the_search_finds_proofs_that_the_kernel_accepts(facts: list[Term], a: Term, b: Term, provable: bool) -> None:
    judge = ObligationJudge(Z3Solver())
    known = Facts(SearchGuide()).assume(*facts)
    steps = EqualitySearch(SearchTools(judge)).find(known, a, b)
    assert (steps is not None) is provable
    if steps is not None:
        assert Equality(judge).holds(known, a, b, steps)


def kept(now: Term) -> Term:
    """What buffer x of two holds before iteration `now`, where iteration i writes B(i div 21, i mod 7) to buffer i mod 2."""
    twice = k.scale(2, k.fdiv(k.add(x, now), k.num(2)))
    tap = k.add(k.scale(6, x), twice)
    return k.app(B, k.fdiv(k.add(k.scale(20, x), twice), k.num(21)), k.sub(tap, k.scale(7, k.fdiv(tap, k.num(7)))))


ONE_OF_TWO = [k.le(ZERO, x), k.le(x, ONE), k.le(ZERO, n)]
NOT_ITS_TURN = k.not_(k.eq(k.add(x, k.scale(2, k.fdiv(k.add(n, ONE), k.num(2)))), k.add(n, ONE)))
MOVED = total(ZERO, n, k.app(A, k.add(I0, x)))


@pytest.mark.parametrize(
    ("facts", "a", "b", "provable"),
    [
        ([*ONE_OF_TWO, NOT_ITS_TURN], kept(n), kept(k.add(n, ONE)), True),
        (ONE_OF_TWO, kept(n), kept(k.add(n, ONE)), False),
        ([*ONE_OF_TWO, NOT_ITS_TURN], kept(n), kept(k.add(n, k.num(2))), False),
        ([k.le(ZERO, x), k.le(x, ZERO)], MOVED, WHOLE, True),
        ([k.le(ZERO, x), k.le(x, ONE)], MOVED, WHOLE, False),
    ],
)
def test_indices_are_replaced_by_equal_ones(facts: list[Term], a: Term, b: Term, provable: bool) -> None:
    """Quotients that are equal where a buffer keeps what it has, and an index with one value."""
    test_the_search_finds_proofs_that_the_kernel_accepts(facts, a, b, provable)


def test_a_guard_that_holds_in_the_shorter_sum_does_not_hide_the_cut() -> None:
    """In the longer sum the guard excludes the last index for some n: one cut, and no cases."""
    judge, facts = (
        ObligationJudge(Z3Solver()),
        Facts(SearchGuide()).assume(k.le(ZERO, n), k.le(ZERO, m), k.lt(m, k.num(3))),
    )
    guarded = k.ite(k.le(I0, k.add(n, ONE)), k.app(A, I0), k.num(0, REAL))
    longer, shorter = total(ZERO, k.add(m, ONE), guarded), total(ZERO, m, k.app(A, I0))
    a = k.add(shorter, k.ite(k.le(m, k.add(n, ONE)), k.app(A, m), k.num(0, REAL)))
    steps = EqualitySearch(SearchTools(judge)).find(facts, a, longer)
    assert steps == (Split(longer, m),)
    assert Equality(judge).holds(facts, a, longer, steps)
    assert EqualitySearch(SearchTools(judge)).find(facts, k.add(shorter, k.app(A, m)), longer) is None


def sums_proved_equal_are_equal(seed: int) -> bool:
    """Random sums over ranges, strides, tiles and guards, often equal and often nearly so."""
    r = Random(seed)

    def make() -> Term:
        lo, hi = r.choice([ZERO, ONE, m]), r.choice([n, k.add(n, ONE), k.scale(2, m), m, k.num(4)])
        match r.randrange(6):
            case 0:
                return total(lo, hi, k.app(A, I0))
            case 1:
                return total(lo, hi, k.app(A, k.add(I0, r.choice([ZERO, ONE, m]))))
            case 2:
                return total(ZERO, m, total(ZERO, k.num(2), k.app(A, k.add(k.scale(2, I1), I0))))
            case 3:
                return total(lo, hi, k.ite(k.lt(I0, r.choice([n, m])), k.app(A, I0), k.num(0, REAL)))
            case 4:
                return k.add(total(lo, hi, k.app(A, I0)), k.app(A, r.choice([n, m, ZERO])))
            case _:
                return total(ZERO, n, k.app(A, k.sub(k.sub(n, ONE), I0)))

    facts = Facts(SearchGuide())
    for f in r.sample(
        [k.le(ZERO, n), k.le(ZERO, m), k.le(m, n), k.eq(n, k.scale(2, m)), k.lt(m, n), k.eq(n, m)], r.randint(0, 3)
    ):
        facts = facts.assume(f)
    a, b = make(), make()
    judge = ObligationJudge(Z3Solver())
    steps = EqualitySearch(SearchTools(judge)).find(facts, a, b)
    if steps is None or not Equality(judge).holds(facts, a, b, steps):
        return False
    same_in_the_model(facts, a, b, seed)
    return a is not b


def test_sums_that_are_proved_equal_are_equal() -> None:
    assert accepted(sums_proved_equal_are_equal, 150) >= 20


def test_proof_steps_may_not_name_the_constants_of_the_proof() -> None:
    """A map that mentions the arbitrary constant of the proof is no map; conditions reject it before it is used."""
    from optigpu.kernel import Rejected
    from optigpu.kernel.instructions import KernelProgram, Procedure, ProcedureContract
    from optigpu.kernel.ledger import LedgerEntries
    from optigpu.kernel.side_conditions import require_known
    from optigpu.logic.names import read_name
    from tests.support.open_kernel import OpenKernel as Kernel

    f = Procedure("f", (), ProcedureContract((), (), (), (), ()), ())
    kernel = Kernel(ObligationJudge(), KernelProgram({"f": f}), LedgerEntries())
    state = kernel.begin("f", ())
    for name in ("b?0", "x#99", "$b1"):
        with pytest.raises(Rejected):
            require_known(state, Split(total(ZERO, k.var(read_name(name), INT), k.app(A, I0)), ONE))
