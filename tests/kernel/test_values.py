"""Laws of big operators: each step is accepted where it holds, rejected where it does not, and true in the model."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optigpu.checker.sums import SumProver
from optigpu.kernel import terms as k
from optigpu.kernel.facts import Facts
from optigpu.kernel.judge import Judge
from optigpu.kernel.terms import INT, ONE, REAL, ZERO, Term
from optigpu.kernel.values import Case, Equality, Extend, Reindex, Split, Widen, peel
from optigpu.prover.guide import Search
from optigpu.prover.z3_solver import Z3Solver
from tests.support.terms import FUNCTIONS, environment, evaluate

A = k.var("A", FUNCTIONS["A"])
B = k.var("B", FUNCTIONS["B"])
n, m, x = (k.var(v, INT) for v in "nmx")
I0, I1 = k.bound(0, INT), k.bound(1, INT)


def total(low: Term, high: Term, body: Term) -> Term:
    return k.big("sum", low, high, body)


def equal(facts: list[Term], a: Term, b: Term, *steps: object) -> bool:
    return Equality(Judge(Z3Solver())).holds(Facts(Search()).assume(*facts), a, b, steps)  # type: ignore[arg-type]


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
    whole, parts = fold(ZERO, n, u), fold(m, n, fold(ZERO, m, u))
    assert equal([k.le(ZERO, m), k.le(m, n)], whole, parts, Split(whole, m))
    assert not equal([k.le(ZERO, m)], whole, parts, Split(whole, m))


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
    ],
)  # fmt: skip
def test_the_search_finds_proofs_that_the_kernel_accepts(facts: list[Term], a: Term, b: Term, provable: bool) -> None:
    judge = Judge(Z3Solver())
    known = Facts(Search()).assume(*facts)
    steps = SumProver(judge).find(known, a, b)
    assert (steps is not None) is provable
    if steps is not None:
        assert Equality(judge).holds(known, a, b, steps)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32))
def test_sums_that_are_proved_equal_are_equal(seed: int) -> None:
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

    facts = Facts(Search())
    for f in r.sample(
        [k.le(ZERO, n), k.le(ZERO, m), k.le(m, n), k.eq(n, k.scale(2, m)), k.lt(m, n), k.eq(n, m)], r.randint(0, 3)
    ):
        facts = facts.assume(f)
    a, b = make(), make()
    judge = Judge(Z3Solver())
    steps = SumProver(judge).find(facts, a, b)
    if steps is None or not Equality(judge).holds(facts, a, b, steps):
        return
    for vn in range(-2, 6):
        for vm in range(-2, 5):
            env = {**environment(Random(seed)), "n": vn, "m": vm}
            if all(evaluate(f, env) for f in facts.given):
                assert evaluate(a, env) == evaluate(b, env), (facts.given, a, b, vn, vm)


def test_proof_steps_may_not_name_the_constants_of_the_proof() -> None:
    """A map that mentions the arbitrary constant of the proof is no map; conditions reject it before it is used."""
    from optigpu.kernel.calls import Kernel
    from optigpu.kernel.code import Contract, Function, Program
    from optigpu.kernel.ledger import Ledger
    from optigpu.kernel.state import Rejected

    f = Function("f", (), Contract((), (), (), (), ()), ())
    kernel = Kernel(Judge(), Program({"f": f}), Ledger())
    state = kernel.begin("f", ())
    for name in ("b?0", "x#99", "$b1"):
        with pytest.raises(Rejected):
            kernel._known(state, Split(total(ZERO, k.var(name, INT), k.app(A, I0)), ONE))
