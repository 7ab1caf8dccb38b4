"""Attacks on each rule through its arguments: index maps, contracts and proof steps that a forged certificate could contain.

Wrong programs (tests/cases) cannot reach these conditions, since the checker proposes nothing so wrong; a
forged certificate can.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from optigpu.kernel import Rejected, State
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import (
    BrokenInvariant,
    ClaimedTwice,
    ClaimOutside,
    DependentIterations,
    DifferentBranches,
    Leak,
    MissingPermission,
    NegativeSize,
    NotAllocated,
    NotOwner,
    NotUnrolled,
    OutOfOrder,
    SharedMemoryExceeded,
    SharedMemoryInUse,
    StepNotPositive,
    UncoveredRead,
    Uninitialised,
    UnprovedFact,
    WrongContext,
    WrongGroup,
    WrongShape,
    WrongSpace,
    WrongValue,
)
from optigpu.kernel.context import PendingRead
from optigpu.kernel.loop_contract import Invariant, LoopContract
from optigpu.kernel.side_conditions import Take
from optigpu.kernel.state import changed
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, KNOWN, READ, SOME, UNINIT, CellClaim, Cells, Owner, box
from optigpu.logic.equality import (
    Extend,
)
from optigpu.logic.terms import INT, ONE, REAL, TRUE, ZERO
from tests.support.kernel_states import (
    B0,
    B1,
    ID,
    KNOWN_A,
    NOUGHT,
    SIX,
    SIZES,
    THREE,
    WHOLE,
    A,
    begun,
    each,
    i,
    kernel_of,
    launched,
    load,
    loop,
    m,
    n,
    refused,
    store,
    threads,
    written_by_threads,
    x,
)
from tests.support.undefined_names import strangers


def test_no_rule_takes_a_name_that_does_not_exist() -> None:
    """Without this, a "map" could be the very constant that stands for an arbitrary b."""
    inside = (*SIZES, k.lt(m, n))
    sum_ = k.big("sum", ZERO, n, k.app(A, B0))
    alloc = kc.Allocate("t", REAL, (n,))
    for which in range(3):
        kernel, state = begun(load(m), store(m), alloc, kc.Release("t"), requires=inside)
        s = strangers(state)[which]
        assert isinstance(refused(kernel.begin, "f", ((k.add(B0, k.scale(0, B0), k.sub(s, s), s),),)), OutOfOrder)
        assert isinstance(refused(kernel.load, state, 1, (s,)), OutOfOrder)
        state = kernel.load(state, 1, (m,))
        assert isinstance(refused(kernel.store, state, 1, (strangers(state)[which],)), OutOfOrder)
        state = kernel.allocate(kernel.store(state, 1, (m,)))
        assert isinstance(refused(kernel.free, state, max(state.held), (strangers(state)[which],)), OutOfOrder)
        assert isinstance(
            refused(kernel.restate, state, 1, k.eq(strangers(state)[which], ZERO), NOUGHT, ()), OutOfOrder
        )
        step = Extend(sum_, k.app(A, s), ())
        goal = k.eq(sum_, NOUGHT)
        kernel, state = begun(ensures=(goal,), post=(KNOWN_A,))
        assert isinstance(refused(kernel.finish, state, (ID,), ((step,),)), OutOfOrder)
        assert isinstance(refused(kernel.finish, state, (Take(1, (s,), (B0,)),), ((),)), OutOfOrder)
        assert isinstance(refused(kernel.finish, state, (Take(1, (B0,), (s,)),), ((),)), OutOfOrder)
        kernel, state = begun(kc.Assertion(goal))
        assert isinstance(refused(kernel.assertion, state, (step,)), OutOfOrder)
        kernel, state = begun(kc.GhostStep("g", (), (), (), (goal,)))
        assert isinstance(refused(kernel.ghost, state, (), ((step,),)), OutOfOrder)
        kernel, state = begun(loop(store(i)))
        end = kernel.enter_loop(state, LoopContract((each(n),)))
        end = kernel.store(end, max(f for f, r in end.held.items() if r.share == FULL), ())
        late = Extend(sum_, k.app(A, strangers(end)[which]), ())
        assert isinstance(refused(kernel.leave_loop, end, ((late,),), ()), OutOfOrder)


def test_forged_inverse_of_a_claim() -> None:
    """Two binders of one cell: an inverse exists only as the constant that stands for the binder."""
    twice = CellClaim(Cells("a", ((ZERO, k.num(2)),), TRUE, (ZERO,)), SOME)
    kernel = kernel_of(pre=(twice,), requires=(*SIZES, k.lt(ZERO, n)))
    facts = kernel.judge.root.assume(*SIZES, k.lt(ZERO, n))
    (b,), _ = facts.arbitrary(INT)
    for inverse in (b, ZERO, B0, ONE):
        refused(kernel.begin, "f", ((inverse,),))


# Functions


def test_begin() -> None:
    assert isinstance(refused(kernel_of(space="SMem").begin, "f", ((B0,),)), WrongSpace)
    assert isinstance(refused(kernel_of(device=True).begin, "f", ((B0,),)), WrongSpace)
    kernel_of(device=True, space="SMem").begin("f", ((B0,),))
    longer = CellClaim(Cells("a", ((ZERO, k.add(n, ONE)),), TRUE, (B0,)), SOME)
    earlier = CellClaim(Cells("a", ((k.num(-1), n),), TRUE, (B0,)), SOME)
    for claim in (longer, earlier, replace(longer, share=READ), replace(earlier, share=READ)):
        assert isinstance(refused(kernel_of(pre=(claim,)).begin, "f", ((B0,),)), ClaimOutside)
    twice = CellClaim(Cells("a", ((ZERO, n),), TRUE, (k.fdiv(B0, k.num(2)),)), SOME)
    assert isinstance(refused(kernel_of(pre=(twice,)).begin, "f", ((k.scale(2, B0),),)), ClaimedTwice)
    for shares in ((FULL, READ), (READ, FULL), (FULL, FULL)):
        claims = tuple(CellClaim(WHOLE, SOME, None, s) for s in shares)
        assert isinstance(refused(kernel_of(pre=claims).begin, "f", ((B0,), (B0,))), ClaimedTwice)
    kernel_of(pre=tuple(CellClaim(WHOLE, SOME, None, READ) for _ in range(2))).begin("f", ((B0,), (B0,)))


def test_finish() -> None:
    kernel, state = begun(post=(CellClaim(WHOLE, SOME),), ensures=(k.lt(m, ZERO),))
    assert isinstance(refused(kernel.finish, state, (ID,), ((),)), UnprovedFact)
    for takes, steps in (((), ((),)), ((ID,), ())):  # fewer answers than questions
        with pytest.raises((Rejected, ValueError)):
            kernel.finish(state, takes, steps)
    kernel, state = begun(pre=(), post=(KNOWN_A,))
    with pytest.raises((Rejected, ValueError)):
        kernel.finish(state, (), ())
    kernel, state = begun(pre=(), ensures=(k.FALSE,))
    with pytest.raises((Rejected, ValueError)):
        kernel.finish(state, (), ())
    kernel, state = begun(kc.Allocate("t", REAL, (ZERO,)), post=(KNOWN_A,))
    assert isinstance(refused(kernel.finish, kernel.allocate(state), (ID,), ()), Leak)  # no cell, but an allocation
    kernel, state = begun(post=(KNOWN_A,))
    owned = changed(state, held={1: replace(state.held[1], owner=Owner(ONE, ONE))})
    assert isinstance(refused(kernel.finish, owned, (ID,), ()), NotOwner)
    assert isinstance(
        refused(kernel.finish, kernel.enter_if(begun(kc.Branch(k.lt(m, n), (), ()))[1])[0], (), ()), OutOfOrder
    )


def test_a_claim_given_back_twice_or_of_less() -> None:
    half = CellClaim(box("a", (m,)), SOME)
    kernel, state = begun(post=(half, half), requires=(*SIZES, k.le(m, n)))
    assert isinstance(refused(kernel.finish, state, (ID, ID), ()), MissingPermission)
    uninit = CellClaim(WHOLE, UNINIT)
    kernel, state = begun(pre=(uninit,), post=(CellClaim(WHOLE, SOME),))
    assert isinstance(refused(kernel.finish, state, (ID,), ()), Uninitialised)
    kernel, state = begun(pre=(KNOWN_A,), post=(KNOWN_A,))
    for wrong in (
        Take(1, (ZERO,), (B0,)),
        Take(1, (B0,), (ZERO,)),
        Take(1, (), (B0,)),
        Take(1, (B0,), ()),
        Take(2, (B0,), (B0,)),
    ):
        refused(kernel.finish, state, (wrong,), ())


# Straight-line code


def test_load_and_store_need_reach_and_room() -> None:
    inside = (*SIZES, k.lt(m, n))
    for code, rule in ((load(m), "load"), (store(m), "store")):
        kernel, state = begun(code, requires=inside, space="GMem")  # the host, in global memory
        assert isinstance(refused(getattr(kernel, rule), state, 1, (m,)), WrongSpace)
    kernel, state = launched(store(ZERO), requires=SIX)
    assert isinstance(refused(kernel.store, state, 1, (ZERO,)), WrongGroup)  # six threads write one cell
    kernel, state = launched(threads("t", 6, store(k.var("t", INT))), load(ZERO), requires=SIX)
    assert isinstance(refused(kernel.load, written_by_threads(kernel, state), 1, (ZERO,)), NotOwner)
    kernel, state = begun(load(m), requires=inside)
    other = changed(state, held={1: replace(state.held[1], cells=replace(state.held[1].cells, base="b"))})
    assert isinstance(refused(kernel.load, other, 1, (m,)), MissingPermission)


ALLOCATIONS = {
    ("Any", True, False, "host"), ("Any", False, False, "host"), ("GMem", True, False, "host"), ("Any", False, False, "threads"),
    ("Any", True, False, "threads"), ("SMem", True, True, "setup"), ("SMem", False, False, "threads"),
    ("TReg", False, True, "threads"),
}  # fmt: skip


@pytest.mark.parametrize("context", ["host", "setup", "threads", "teardown"])
def test_allocate_has_a_place_for_each_space(context: str) -> None:
    for space, heap, distributed in product(("Any", "GMem", "SMem", "TReg"), (True, False), (True, False)):
        alloc = kc.Allocate("t", REAL, (k.num(2),), space, heap, distributed, 4)
        start = (kc.LaunchKernel(ONE, k.num(6), k.num(1024)), kc.Phase("threads"), kc.Phase("teardown"))
        count = ["host", "setup", "threads", "teardown"].index(context)
        kernel, state = begun(*start[:count], alloc, space="GMem")
        for rule in ("launch", "phase", "phase")[:count]:
            state = getattr(kernel, rule)(state)
        if (space, heap, distributed, context) in ALLOCATIONS:
            made = kernel.allocate(state)
            copies = 0 if not distributed else 1
            assert len(made.bases["t"].dims) == 1 + copies
            assert made.bases["t"].space == ("TReg" if (space, heap, context) == ("Any", False, "threads") else space)
        else:
            assert isinstance(refused(kernel.allocate, state), WrongContext), (space, heap, distributed)


def test_allocate() -> None:
    twice = kc.Allocate("t", REAL, (n,))
    kernel, state = begun(twice, twice)
    refused(kernel.allocate, kernel.allocate(state))
    shared = kc.Allocate("s", REAL, (k.num(257),), "SMem", False, False, 4)
    kernel, state = launched(shared)
    assert isinstance(refused(kernel.allocate, state), SharedMemoryExceeded)
    kernel, state = launched(replace(shared, bytes=0))
    assert isinstance(refused(kernel.allocate, state), SharedMemoryExceeded)
    kernel, state = launched(replace(shared, dims=(k.num(2),)))
    busy = changed(state, context=replace(state.context, busy=(("s", k.num(8)),)))
    assert isinstance(refused(kernel.allocate, busy), SharedMemoryInUse)
    for dims in ((k.num(-1),), (m, k.num(-1)), (k.sub(n, ONE),)):
        kernel, state = begun(kc.Allocate("t", REAL, dims))
        assert isinstance(refused(kernel.allocate, state), NegativeSize)
    kernel, state = launched(replace(shared, dims=(k.num(2),)), grid=k.num(2))
    assert isinstance(refused(kernel.allocate, state), WrongGroup)  # a block's memory, for two blocks


def test_free() -> None:
    for alloc, free in ((True, False), (False, True)):
        kernel, state = begun(kc.Allocate("t", REAL, (n,), heap=alloc), kc.Release("t", free))
        assert isinstance(refused(kernel.free, kernel.allocate(state), 2, (B0,)), NotAllocated)
    kernel, state = begun(kc.Release("a", False))
    unsized = changed(state, bases={"a": replace(state.bases["a"], dims=(None,))})
    assert isinstance(refused(kernel.free, unsized, 1, (B0,)), NotAllocated)
    assert isinstance(refused(begun(kc.Release("z"))[0].free, begun(kc.Release("z"))[1], 1, (B0,)), NotAllocated)
    code = (kc.Allocate("t", REAL, (n,), "GMem"), kc.LaunchKernel(ONE, ONE, ZERO), kc.Phase("threads"), kc.Release("t"))
    kernel, state = begun(*code)
    state = kernel.phase(kernel.launch(kernel.allocate(state)))
    assert isinstance(refused(kernel.free, state, 2, (B0,)), WrongContext)
    kernel, state = begun(kc.Allocate("t", REAL, (n,)), kc.Release("t"))
    state = kernel.allocate(state)
    lent = changed(state, held={**state.held, 2: replace(state.held[2], share=READ)})
    assert isinstance(refused(kernel.free, lent, 2, (B0,)), MissingPermission)
    refused(kernel.free, state, 2, (ZERO,))


def test_ghost_and_assertion() -> None:
    no = k.lt(n, ZERO)
    assert isinstance(refused(*reversed_call("assertion", kc.Assertion(no)), ()), UnprovedFact)
    assert isinstance(refused(*reversed_call("ghost", kc.GhostStep("g", (no,), (), (), ())), (), ()), UnprovedFact)
    assert isinstance(refused(*reversed_call("ghost", kc.GhostStep("g", (), (), (), (no,))), (), ((),)), UnprovedFact)
    wrong = CellClaim(WHOLE, KNOWN, NOUGHT)
    for pre, post in (((wrong,), ()), ((), (wrong,))):
        assert isinstance(refused(*reversed_call("ghost", kc.GhostStep("g", (), pre, post, ())), (ID,), ()), WrongValue)
    both = kc.GhostStep("g", (), (KNOWN_A, KNOWN_A), (), ())
    assert isinstance(refused(*reversed_call("ghost", both), (ID, ID), ()), MissingPermission)
    lent = replace(KNOWN_A, share=READ)
    for claims in ((lent, KNOWN_A), (KNOWN_A, lent)):
        assert isinstance(
            refused(*reversed_call("ghost", kc.GhostStep("g", (), claims, (), ())), (ID, ID), ()), MissingPermission
        )
        assert isinstance(
            refused(*reversed_call("ghost", kc.GhostStep("g", (), (), claims, ())), (ID, ID), ()), MissingPermission
        )
    rule, state = reversed_call("ghost", kc.GhostStep("g", (), (lent, lent), (), ()))
    rule(state, (ID, ID), ())
    for ghost, takes, steps in (
        (kc.GhostStep("g", (), (wrong,), (), ()), (), ()),
        (kc.GhostStep("g", (), (), (wrong,), ()), (), ()),
        (kc.GhostStep("g", (), (), (), (no,)), (), ()),
    ):
        with pytest.raises((Rejected, ValueError)):
            call, state = reversed_call("ghost", ghost)
            call(state, takes, steps)


def reversed_call(rule: str, instr: kc.Instruction) -> tuple[Callable[..., Any], State]:
    kernel, state = begun(instr)
    return getattr(kernel, rule), state


def test_contents_can_be_restated_where_they_are_written() -> None:
    kernel, state = begun(pre=(CellClaim(WHOLE, UNINIT),))
    after = kernel.restate(state, 1, TRUE, NOUGHT, ())  # nothing is written, so anything is true of it
    assert after.held[1].init is k.FALSE
    kernel, state = begun()
    assert isinstance(refused(kernel.restate, state, 1, k.lt(B0, m), NOUGHT, ()), WrongValue)


# Branches


def test_branches_join_only_in_the_same_shape() -> None:
    t = kc.CellAddress("t", ())
    written = (kc.StoreCell(t, THREE),)
    for branches in ((written, ()), ((), written), (written, written)):
        kernel, state = begun(
            kc.Allocate("t", REAL, (), heap=False), kc.Branch(k.lt(m, n), *branches), kc.LoadCell(x, t)
        )
        ends = kernel.enter_if(kernel.allocate(state))
        joined = kernel.join_if(*(kernel.store(s, 2, ()) if code else s for s, code in zip(ends, branches)))
        if all(branches):
            kernel.load(joined, 2, ())
        else:
            assert isinstance(refused(kernel.load, joined, 2, ()), Uninitialised)  # written in one branch only
    kernel, state = begun(kc.Branch(k.lt(m, n), (), ()))
    yes, no = kernel.enter_if(state)
    for wrong in (
        changed(yes, held={1: replace(yes.held[1], share=READ)}),
        changed(yes, held={1: yes.held[1].without(k.eq(B0, ZERO))}),
        changed(yes, held={}),
        changed(yes, bases={}),
        changed(yes, context=replace(yes.context, kind="setup")),
    ):
        refused(kernel.join_if, wrong, no)
        refused(kernel.join_if, no, wrong)
    for a, b in ((ONE, ONE), (ONE, k.num(2))):  # shared arrays that are still in use after one branch are so after both
        left, right = (
            changed(s, context=replace(s.context, used=k.add(s.context.used, size), busy=((name, size),)))
            for s, name, size in ((yes, "s", a), (no, "t", b))
        )
        joined = kernel.join_if(left, right).context
        assert joined.busy == (("s", a), ("t", b)) and joined.in_scope is yes.context.used
        assert kernel.join_if(left, no).context.busy == (("s", a),)
    both = (kc.Branch(k.lt(m, n), (kc.Allocate("t", REAL, ()),), (kc.Allocate("u", REAL, ()),)),)
    kernel, state = begun(*both)
    yes, no = kernel.enter_if(state)
    assert isinstance(refused(kernel.join_if, kernel.allocate(yes), kernel.allocate(no)), DifferentBranches)


# Loops


def test_loop_ranges() -> None:
    for op, step, why in (
        ("*", 2, "geometric"),
        (">>", 1, "geometric"),
        ("+", 0, "step"),
        ("+", -1, "step"),
        ("-", 0, None),
    ):
        relation = ">" if op in (">>", "-") else "<"
        kernel, state = begun(kc.CountedLoop(i, n, relation, m, op, k.num(step), ()))
        why = why or "step"
        assert refused(kernel.enter_loop, state, LoopContract()).reason == why
    kernel, state = begun(kc.CountedLoop(i, n, "<", m, "+", n, ()))  # n may be 0
    assert isinstance(refused(kernel.enter_loop, state, LoopContract()), StepNotPositive)


def test_enter_loop() -> None:
    kernel, state = begun(loop(store(i)))
    shorter = replace(each(n), cells=Cells("a", ((ZERO, m),), TRUE, (B0,)))
    scalar = replace(each(n), cells=Cells("a", (), TRUE, (ZERO,)), forward=(ZERO,), back=())
    for x_ in (shorter, scalar):
        assert isinstance(refused(kernel.enter_loop, state, LoopContract((x_,))), WrongShape)
    unknown = Invariant(7, TRUE, None)
    assert isinstance(refused(kernel.enter_loop, state, LoopContract((), (unknown,))), WrongShape)
    kept = Invariant(1, TRUE, None)
    assert isinstance(refused(kernel.enter_loop, state, LoopContract((each(n),), (kept,))), WrongShape)  # taken twice
    assert isinstance(refused(kernel.enter_loop, state, LoopContract((), (kept, kept))), WrongShape)
    assert isinstance(refused(kernel.enter_loop, state, LoopContract(facts=(k.lt(B0, ZERO),))), BrokenInvariant)
    assert isinstance(
        refused(
            kernel.enter_loop, state, LoopContract(pending_reads=(PendingRead(1, box("a", (n,)), Owner(ZERO, ONE)),))
        ),
        UncoveredRead,
    )
    parallel, start = begun(loop(store(i), mode=kc.PARALLEL))
    assert isinstance(refused(parallel.enter_loop, start, LoopContract((), (kept,))), DependentIterations)
    assert isinstance(refused(parallel.enter_loop, start, LoopContract(facts=(k.lt(B0, ZERO),))), BrokenInvariant)
    grows = parallel.enter_loop(start, LoopContract((each(n),), facts=(k.le(B0, ZERO),)))
    number = max(grows.held)
    end = parallel.store(grows, number, ())
    assert isinstance(refused(parallel.leave_loop, end, ((),), ()), BrokenInvariant)  # of the next iteration
    uninit, start = begun(loop(store(i)), pre=(CellClaim(WHOLE, UNINIT),))
    assert isinstance(refused(uninit.enter_loop, start, LoopContract((), (kept,))), Uninitialised)


def test_leave_loop() -> None:
    kernel, state = begun(loop(kc.Allocate("t", REAL, (ZERO,))))
    end = kernel.allocate(kernel.enter_loop(state, LoopContract()))
    assert isinstance(refused(kernel.leave_loop, end, (), ()), Leak)  # no cell is left, but an allocation
    kernel, state = begun(loop())
    end = kernel.enter_loop(state, LoopContract(facts=(k.le(B0, ZERO),)))
    assert isinstance(refused(kernel.leave_loop, end, (), ()), BrokenInvariant)  # true at first, not preserved
    kernel, state = begun(loop(store(i)))
    body = kernel.enter_loop(state, LoopContract((each(n),)))
    assert isinstance(refused(kernel.leave_loop, body, ((),), ()), OutOfOrder)
    number = max(f for f, r in body.held.items() if r.share == FULL)
    end = kernel.store(body, number, ())
    for wrong in (
        {f: r for f, r in end.held.items() if f != number},
        {**end.held, number: replace(end.held[number], share=READ)},
        {**end.held, number: replace(end.held[number], cells=replace(end.held[number].cells, where=k.lt(m, n)))},
    ):
        assert isinstance(refused(kernel.leave_loop, changed(end, held=wrong), ((),), ()), MissingPermission)
    for steps in ((), ((), ())):
        with pytest.raises((Rejected, ValueError)):
            kernel.leave_loop(end, steps, ())
    for context in (
        replace(end.context, kind="setup"),
        replace(end.context, threads=k.num(2)),
        replace(end.context, used=ONE),
    ):
        refused(kernel.leave_loop, changed(end, context=context), ((),), ())
    kernel, state = begun(loop(store(i, k.app(A, i))))
    end = kernel.enter_loop(state, LoopContract((replace(each(n), value=None, init=TRUE),)))
    end = changed(end, code=())
    kernel.leave_loop(end, ((),), ())
    kernel, state = begun(loop(), pre=(CellClaim(WHOLE, UNINIT),))
    end = kernel.enter_loop(state, LoopContract((each(n, None),)))
    assert isinstance(refused(kernel.leave_loop, end, ((),), ()), Uninitialised)


def test_invariants_are_preserved() -> None:
    """a[0] holds 3 from the first iteration on: not before it."""
    cell = CellClaim(box("a", (ONE,)), KNOWN, NOUGHT)
    one = (*SIZES, k.lt(ZERO, n))
    kernel, state = begun(loop(store(ZERO)), pre=(cell,), requires=one)
    assert isinstance(refused(kernel.enter_loop, state, LoopContract((), (Invariant(1, TRUE, THREE),))), WrongValue)
    later = k.ite(k.eq(B1, ZERO), NOUGHT, THREE)
    end = kernel.store(kernel.enter_loop(state, LoopContract((), (Invariant(1, TRUE, later),))), 1, (ZERO,))
    kernel.leave_loop(end, (), ((),))
    start = kernel.enter_loop(state, LoopContract((), (Invariant(1, TRUE, NOUGHT),)))
    assert isinstance(refused(kernel.leave_loop, kernel.store(start, 1, (ZERO,)), (), ((),)), WrongValue)
    for steps in ((), ((), ())):
        with pytest.raises((Rejected, ValueError)):
            kernel.leave_loop(end, (), steps)


def test_unroll() -> None:
    for wrong in (loop(bound=n), loop(bound=k.num(2), mode=kc.PARALLEL), threads("t", 2)):
        kernel, state = begun(wrong)
        assert isinstance(refused(kernel.unroll, state), NotUnrolled)
