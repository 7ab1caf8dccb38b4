"""Attacks on the rules for values, equality steps and laws through their arguments, as a forged certificate could contain them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from optigpu.kernel import Rejected, State
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import (
    BrokenLaw,
    Leak,
    MissingPermission,
    OutOfOrder,
)
from optigpu.kernel.loop_contract import Invariant, LoopContract
from optigpu.kernel.side_conditions import Take
from optigpu.logic import terms as k
from optigpu.logic.cells import READ, SOME, UNINIT, CellClaim, CellFamily, Owner, box, same
from optigpu.logic.equality import (
    Case,
    Equality,
    Extend,
    Into,
    Maximum,
    Partition,
    Reindex,
    Split,
    Widen,
    maximum_parts,
)
from optigpu.logic.facts import Facts
from optigpu.logic.judge import ObligationJudge
from optigpu.logic.names import read_name
from optigpu.logic.quantifiers import instance
from optigpu.logic.terms import INT, ONE, REAL, TRUE, ZERO, Term
from optigpu.search.advice import SearchGuide
from optigpu.solver.z3_solver import Z3Solver
from tests.support.kernel_states import (
    B0,
    B1,
    ID,
    NOUGHT,
    SIZES,
    THREE,
    WHOLE,
    A,
    begun,
    i,
    kernel_of,
    loop,
    m,
    n,
    refused,
    store,
    x,
)
from tests.support.open_kernel import OpenKernel as Kernel

# Values


def equal(facts: list[Term], a: Term, b: Term, *steps: Any) -> bool:
    return Equality(ObligationJudge(Z3Solver())).holds(Facts().assume(*facts), a, b, steps)


def test_steps_apply_to_what_they_are_about() -> None:
    """A law of sums, used on something else."""
    y = k.var("y", REAL)
    body = k.app(A, B0)
    sum_, prod = k.big("sum", ZERO, n, body), k.big("prod", ZERO, n, body)
    for step in (Split(y, m), Widen(y, ZERO), Partition(y, TRUE), Extend(y, body, ()), Partition(prod, k.lt(B0, m))):
        with_step = False
        try:
            with_step = equal([k.le(ZERO, m), k.le(m, n)], y, k.add(y, THREE), step)
        except (IndexError, KeyError, ValueError, AttributeError):
            pytest.fail(f"{type(step).__name__} looked at something else than a sum")
        assert not with_step
    assert not equal([], sum_, k.big("sum", ZERO, n, THREE), Extend(sum_, THREE, ()))
    assert not equal([], sum_, k.num(0, REAL), Extend(sum_, k.num(0, REAL), ()))
    integer = k.big("sum", ZERO, n, B0)
    assert not equal([], integer, k.big("sum", ZERO, n, ZERO), Extend(integer, NOUGHT, ()))
    assert not equal([], prod, sum_, Reindex(prod, sum_, (B0,), (B0,)))
    assert not equal([], sum_, prod, Reindex(sum_, prod, (B0,), (B0,)))
    assert not equal([], sum_, y, Reindex(sum_, y, (), (B0,)))


def test_case_distinctions_need_both_cases() -> None:
    test, y = k.lt(m, ZERO), k.var("y", REAL)
    a = k.ite(test, y, NOUGHT)
    assert not equal([], a, NOUGHT, Case(test, (), ()))
    assert not equal([], a, y, Case(test, (), ()))
    assert equal([k.eq(y, NOUGHT)], a, NOUGHT, Case(test, (), ()))


def test_guards_are_part_of_an_index_set() -> None:
    body = k.ite(k.lt(B0, m), k.app(A, B0), NOUGHT)
    guarded, whole = k.big("sum", ZERO, n, body), k.big("sum", ZERO, n, k.app(A, B0))
    assert not equal([], guarded, whole, Reindex(guarded, whole, (B0,), (B0,)))
    assert not equal([], whole, guarded, Reindex(whole, guarded, (B0,), (B0,)))


def test_every_summand_has_one_to_correspond_to() -> None:
    """Each A(b) is the summand 2 b of the other sum, whose odd summands nobody corresponds to."""
    two = k.num(2)
    once, twice = k.big("sum", ZERO, n, k.app(A, B0)), k.big("sum", ZERO, k.scale(2, n), k.app(A, k.fdiv(B0, two)))
    there, back = (k.scale(2, B0),), (k.fdiv(B0, two),)
    assert not equal([k.le(ZERO, n)], once, twice, Reindex(once, twice, there, back))
    assert not equal([k.le(ZERO, n)], twice, once, Reindex(twice, once, back, there))
    evens = k.big("sum", ZERO, k.scale(2, n), k.ite(k.eq(k.fmod(B0, two), ZERO), k.app(A, k.fdiv(B0, two)), NOUGHT))
    assert equal([k.le(ZERO, n)], once, evens, Reindex(once, evens, there, back))


def test_terms_of_a_maximum_count_where_they_are_chosen() -> None:
    """max(1, A(i) for i < n) is max(1, c ? A(i) : 1 for i < n) only if c holds; c has one or two parts, written in either order."""
    one, content = k.num(1, REAL), k.app(A, B0)
    whole = k.big("fold_max", ZERO, n, content, one)
    for name in "pqrs":
        size = k.var(name, INT)
        first, second = k.lt(B0, m), k.lt(B0, size)
        for body, enough in (
            (k.ite(first, content, one), [k.le(n, m)]),
            (k.ite(second, content, one), [k.le(n, size)]),
            (k.ite(first, k.ite(second, content, one), one), [k.le(n, m), k.le(n, size)]),
            (k.ite(second, k.ite(first, content, one), one), [k.le(n, m), k.le(n, size)]),
        ):
            chosen = k.big("fold_max", ZERO, n, body, one)
            theirs = maximum_parts(chosen)
            (number,) = [j for j, part in enumerate(theirs) if part.index == (content,)]
            there = ((Into(0, TRUE, 0, ()),), (Into(1, TRUE, number, (B0,)),))
            into = [
                Into(1, TRUE, 1, (B0,)) if part.index == (content,) else Into(1, TRUE, 0, ()) for part in theirs[1:]
            ]
            back = ((Into(0, TRUE, 0, ()),), *((case,) for case in into))
            step = Maximum(whole, chosen, there, back)
            for facts in (enough[1:], enough[: len(enough) - 1], enough):
                assert equal(facts, whole, chosen, step) == (len(facts) == len(enough))
    sums = Maximum(whole, whole, there[:1], back[:2])
    assert not equal([], whole, NOUGHT, sums)
    for wrong in (Into(1, TRUE, 5, (B0,)), Into(1, TRUE, 1, ()), Into(1, TRUE, 1, (B0, B0)), Into(1, TRUE, 0, (B0,))):
        step = Maximum(whole, chosen, ((Into(0, TRUE, 0, ()),), (wrong,)), back)
        assert not equal(enough, whole, chosen, step)


def test_universal_facts_hold_in_their_range_only() -> None:
    judge = ObligationJudge(Z3Solver())
    positive = k.big("all", ZERO, n, k.lt(NOUGHT, k.app(A, B0)))
    for at in (n, k.num(-1), m):
        facts = Facts().assume(k.lt(ZERO, n), instance(positive, (at,)))
        assert not judge.proves(facts, k.lt(NOUGHT, k.app(A, at)))
    inside = Facts().assume(k.le(ZERO, m), k.lt(m, n), instance(positive, (m,)))
    assert judge.proves(inside, k.lt(NOUGHT, k.app(A, m)))
    q = k.var("q", INT)
    for fact, args in (
        (positive, (NOUGHT,)),
        (positive, (B0,)),
        (positive, (m, m)),
        (k.forall((q,), k.le(q, n)), (NOUGHT,)),
    ):
        with pytest.raises(TypeError):
            instance(fact, args)
    assert not judge.proves(Facts(), positive)
    assert not judge.proves(Facts().assume(positive), k.big("all", ZERO, k.add(n, ONE), k.lt(NOUGHT, k.app(A, B0))))
    assert not judge.proves(Facts().assume(k.le(ZERO, m)), k.and_(k.le(ZERO, m), k.le(ZERO, n)))
    assert not judge.proves(Facts(), k.forall((q,), k.le(ZERO, q)))


# Sets of cells


def test_owner_contains() -> None:
    judge = ObligationJudge(Z3Solver())
    group = Owner(ZERO, k.num(6))
    for start, size, inside in ((0, 6, True), (2, 3, True), (-1, 2, False), (5, 2, False), (0, 7, False)):
        assert judge.proves(Facts(), group.contains(Owner(k.num(start), k.num(size)))) == inside


def test_a_set_of_cells_has_as_many_binders_as_it_has() -> None:
    """Otherwise the ranges would be those of one binder and the index that of another."""
    for args in ((), (ZERO, n)):
        with pytest.raises((ValueError, IndexError)):
            WHOLE.domain(args)
    read = CellClaim(box("a", (ONE,)), SOME, None, READ)
    kernel, state = begun(post=(read,), requires=(*SIZES, k.lt(ONE, n)))
    assert isinstance(refused(kernel.finish, state, (ID,), ()), Leak)
    with pytest.raises((Rejected, ValueError)):
        kernel.finish(state, (Take(1, (B0,), (ZERO, B0)),), ())


def test_updates_and_removals_of_families() -> None:
    family = CellFamily(WHOLE, NOUGHT, k.lt(B0, k.num(4)))
    first = k.lt(B0, k.num(2))
    new = family.updated(first, THREE, k.FALSE)
    judge, facts = ObligationJudge(Z3Solver()), Facts()
    for at, init in ((0, False), (1, False), (2, True), (3, True), (4, False)):
        assert judge.proves(facts, new.init_at((k.num(at),))) == init
        assert judge.proves(facts, k.not_(new.init_at((k.num(at),)))) == (not init)
    written = family.updated(first, THREE, TRUE)
    assert judge.proves(facts, written.init_at((ZERO,))) and not judge.proves(facts, written.init_at((k.num(5),)))
    rest = replace(family, cells=replace(WHOLE, where=k.lt(B0, k.num(4)))).without(first)
    for at, there in ((0, False), (1, False), (2, True), (3, True), (4, False)):
        assert judge.proves(facts.assume(k.eq(n, k.num(5))), rest.cells.domain((k.num(at),))) == there


def test_indices_of_different_length_are_different() -> None:
    assert same((n,), (n, m)) is k.FALSE and same((), (n,)) is k.FALSE and same((n, m), (n, m)) is TRUE
    matrix = kc.Parameter("b", REAL, (n, n))
    pre = (CellClaim(box("b", (n, n)), SOME),)
    code = (
        kc.LoadCell(x, kc.CellAddress("b", (m, m))),
        kc.LoadCell(x, kc.CellAddress("b", (m,))),
        kc.LoadCell(x, kc.CellAddress("b", ())),
    )
    for instr, ok in zip(code, (True, False, False)):
        kernel = kernel_of(instr, pre=pre, params=(matrix,), requires=(*SIZES, k.lt(m, n)))
        state = kernel.begin("f", ((B1, B0),))
        if ok:
            kernel.load(state, 1, (m, m))
        else:
            assert isinstance(refused(kernel.load, state, 1, (m, m)), MissingPermission)


# Sorts


def test_half_is_no_integer() -> None:
    """Nothing satisfies 2 * V == 1, so a function that asks for it may promise anything; nobody can call it."""
    V = k.var("V", INT)
    asks = kc.ProcedureContract((V,), (k.eq(k.scale(2, V), ONE),), (), (), (k.FALSE,))
    g = kc.Procedure("g", (), asks, ())
    kernel, state = begun(kc.Invoke(None, "g", ()), pre=(), others=(g,), ensures=(k.FALSE,))
    kernel.finish(kernel.begin("g", ()), (), ((),))
    for forged in (lambda: k.num(Fraction(1, 2)), lambda: k.num(Fraction(1, 2), REAL), lambda: k.var("y", REAL)):
        with pytest.raises((Rejected, TypeError)):
            kernel.call(state, (forged(),), (), ((),))


def test_a_logical_variable_gets_a_value_of_its_sort() -> None:
    """A fact about all integers is not one about reals: no integer lies between 0 and 1."""
    V, y = k.var("V", INT), k.var("y", REAL)
    P = k.var("P", k.fun_sort((INT,), REAL))
    for variable, argument in (
        (V, y),
        (V, TRUE),
        (V, NOUGHT),
        (A, P),
        (A, k.var("Q", k.fun_sort((REAL,), REAL))),
        (A, ZERO),
    ):
        g = kc.Procedure("g", (), kc.ProcedureContract((variable,), (), (), (), ()), (), admitted=True)
        kernel, state = begun(kc.Invoke(None, "g", ()), pre=(), others=(g,))
        if argument.sort is variable.sort:
            kernel.call(state, (argument,), (), ())
        else:
            with pytest.raises((Rejected, TypeError)):
                kernel.call(state, (argument,), (), ())


def test_integer_operations_are_for_integers() -> None:
    """`fdiv` and its like would bring laws of integers to reals."""
    y = k.var("y", REAL)
    for make in (
        lambda: k.fdiv(y, k.num(2)),
        lambda: k.fdiv(n, k.num(2, REAL)),
        lambda: k.fmod(y, k.num(2)),
        lambda: k.bitwise("bxor", y, n),
        lambda: k.pow2(y),
        lambda: k.num(Fraction(1, 3)),
        lambda: k.app(A, y),
        lambda: k.add(n, y),
        lambda: k.eq(n, y),
        lambda: k.ite(k.lt(n, m), n, y),
    ):
        with pytest.raises(TypeError):
            make()


# Laws of invariants: what holds of the contents of a cell, told or not

LAW_V, LAW_B, LAW_X = k.bound(2, INT), k.bound(1, INT), k.bound(0, REAL)
FILLED = k.implies(k.lt(LAW_B, LAW_V), k.eq(LAW_X, THREE))  # the first v cells hold 3


def instantiating(*code: kc.Instruction, **about: Any) -> tuple[Kernel, State]:
    """A start with advice at which terms to use what is known of all cells."""
    kernel = kernel_of(*code, **about)
    kernel.judge.root = Facts(SearchGuide())
    return kernel, kernel.begin("f", ((B0,),))


def law(statement: Term, init: Term = TRUE) -> LoopContract:
    return LoopContract((), (Invariant(1, init, None, law=statement),))


def checked_after(law_: Term, body: kc.Instruction, question: Term) -> None:
    """Run the loop by a law, load a[0] after it, and ask."""
    first = kc.LoadCell(x, kc.CellAddress("a", (ZERO,)))
    kernel, state = instantiating(
        loop(body), first, kc.Oblige(question, kc.Obligation.DIVISION), requires=(*SIZES, k.lt(ZERO, n))
    )
    end = kernel.store(kernel.enter_loop(state, law(law_)), 1, (k.rule_var("i", 1000, INT),))
    kernel.oblige(kernel.load(kernel.leave_loop(end, (), ((),)), 1, (ZERO,)))


def test_a_law_holds_of_contents_that_nothing_tells() -> None:
    checked_after(FILLED, store(i), k.eq(x, THREE))
    for wrong in (TRUE, k.implies(k.lt(LAW_B, k.sub(LAW_V, n)), k.eq(LAW_X, THREE))):
        assert refused(checked_after, wrong, store(i), k.eq(x, THREE)).reason == "division"
    assert refused(checked_after, FILLED, store(i), k.eq(x, NOUGHT)).reason == "division"


def test_a_law_is_true_before_the_loop_and_kept_by_its_body() -> None:
    always, too_far = k.eq(LAW_X, THREE), k.implies(k.le(LAW_B, LAW_V), k.eq(LAW_X, THREE))
    kernel, state = instantiating(loop(store(i)))
    for wrong in (always, too_far, k.FALSE):
        assert isinstance(refused(kernel.enter_loop, state, law(wrong)), BrokenLaw)
    for body in (store(i, NOUGHT), store(k.sub(i, ONE))):
        assert isinstance(refused(checked_after, FILLED, body, TRUE), BrokenLaw | MissingPermission)
    faster = k.implies(k.lt(LAW_B, k.mul(k.num(2), LAW_V)), k.eq(LAW_X, THREE))
    assert isinstance(refused(checked_after, faster, store(i), TRUE), BrokenLaw)


def test_a_law_speaks_of_written_cells_alone() -> None:
    """Of cells that hold nothing a law may say anything, and nothing follows."""
    kernel, state = instantiating(loop(), kc.Oblige(k.FALSE, kc.Obligation.DIVISION), pre=(CellClaim(WHOLE, UNINIT),))
    end = kernel.enter_loop(state, law(k.FALSE, k.FALSE))
    assert refused(kernel.oblige, kernel.leave_loop(end, (), ((),))).reason == "division"
    written = k.lt(B0, B1)  # v is B1
    kernel, state = instantiating(loop(store(i)), pre=(CellClaim(WHOLE, UNINIT),))
    end = kernel.store(kernel.enter_loop(state, law(k.eq(LAW_X, THREE), written)), 1, (k.rule_var("i", 1000, INT),))
    kernel.leave_loop(end, (), ((),))
    kernel, state = instantiating(loop(store(i, NOUGHT)), pre=(CellClaim(WHOLE, UNINIT),))
    end = kernel.store(kernel.enter_loop(state, law(k.eq(LAW_X, THREE), written)), 1, (k.rule_var("i", 1000, INT),))
    assert isinstance(refused(kernel.leave_loop, end, (), ((),)), BrokenLaw)


def test_a_law_is_a_closed_statement_about_what_exists() -> None:
    kernel, state = instantiating(loop(store(i)))
    for name in ("b?0", "i#1000", "a#2"):
        assert isinstance(refused(kernel.enter_loop, state, law(k.le(k.var(read_name(name), REAL), LAW_X))), OutOfOrder)
    for wrong in (k.implies(k.lt(LAW_V, ZERO), k.eq(k.bound(3, REAL), THREE)), LAW_V, k.eq(k.bound(0, INT), ZERO)):
        with pytest.raises((TypeError, Rejected)):
            kernel.enter_loop(state, law(wrong))
