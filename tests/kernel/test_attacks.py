"""Attempts to get something untrue past each rule, by its arguments alone: maps, contracts and steps of no honest search.

Wrong programs (tests/cases) cannot reach these conditions, since the checker proposes nothing so wrong; a
forged certificate can.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from optigpu.kernel import Rejected, State
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import (
    BrokenInvariant,
    BrokenLaw,
    ClaimedTwice,
    ClaimOutside,
    DependentIterations,
    DifferentBranches,
    LaunchLimit,
    Leak,
    LeftInKernel,
    MissingPermission,
    NegativeSize,
    NotAllocated,
    NotOwner,
    NotUnrolled,
    OutOfOrder,
    SharedMemoryExceeded,
    SharedMemoryInUse,
    ShuffleOutsideWarp,
    StepNotPositive,
    UncoveredRead,
    UnequalParts,
    Uninitialised,
    UnorderedRead,
    UnprovedFact,
    WrongContext,
    WrongGroup,
    WrongShape,
    WrongSizes,
    WrongSpace,
    WrongValue,
)
from optigpu.kernel.context import PendingRead
from optigpu.kernel.ledger import LedgerEntries
from optigpu.kernel.loop_contract import Cover, Invariant, LoopContract
from optigpu.kernel.side_conditions import Take
from optigpu.kernel.state import changed
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, KNOWN, READ, SOME, UNINIT, CellClaim, CellFamily, Cells, Owner, box, same
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
from optigpu.logic.judge import ObligationJudge, instance
from optigpu.logic.names import read_name
from optigpu.logic.terms import INT, ONE, REAL, TRUE, ZERO, Term
from optigpu.search.advice import SearchGuide
from optigpu.solver.z3_solver import Z3Solver
from tests.support.kernel_states import (
    B0,
    B1,
    ID,
    KNOWN_A,
    NOUGHT,
    REGISTERS,
    SIX,
    SIZES,
    THREE,
    VIEW,
    VIEWS,
    WHOLE,
    A,
    begun,
    callee,
    calling,
    each,
    i,
    kernel_of,
    launched,
    load,
    loop,
    m,
    n,
    refused,
    shuffling,
    store,
    threads,
    written_by_threads,
    x,
)
from tests.support.open_kernel import OpenKernel as Kernel
from tests.support.open_kernel import entered_loop

# Names that do not exist yet


def strangers(state: State) -> list[Term]:
    """The constant that will stand for an arbitrary b, and the name that the next rule will introduce."""
    (b,), _ = state.facts.arbitrary(INT)
    return [b, k.rule_var("a", state.counter, INT), k.rule_var("a", state.counter + 3, INT)]


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
    ("SMem", True, True, "setup"), ("SMem", False, False, "threads"), ("TReg", False, True, "threads"),
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
            assert made.bases["t"].space == ("TReg" if (space, context) == ("Any", "threads") else space)
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
        changed(yes, context=replace(yes.context, busy=(("s", ONE),))),
        changed(yes, context=replace(yes.context, kind="setup")),
    ):
        refused(kernel.join_if, wrong, no)
        refused(kernel.join_if, no, wrong)
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
    for contract in (LoopContract((), (kept,)), LoopContract(facts=(TRUE,))):
        assert isinstance(refused(parallel.enter_loop, start, contract), DependentIterations)
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


# Threads


def test_thread_loops() -> None:
    body = store(k.var("t", INT))
    for start, bound, step in ((1, 6, 1), (0, 12, 2)):  # six threads, five or six iterations, otherwise numbered
        odd = kc.CountedLoop(k.var("t", INT), k.num(start), "<", k.num(bound), "+", k.num(step), (body,), kc.THREAD)
        kernel, state = launched(odd, requires=SIX)
        assert isinstance(refused(kernel.enter_loop, state, LoopContract(part=ONE)), UnequalParts)
    kernel, state = launched(threads("t", -2), requires=SIX)
    assert isinstance(refused(kernel.enter_loop, state, LoopContract(part=k.num(-3))), UnequalParts)
    kernel, state = begun(threads("t", 6))
    assert isinstance(refused(kernel.enter_loop, state, LoopContract(part=ONE)), WrongContext)
    for mode in (kc.PARALLEL, kc.MAGIC_THREAD):
        kernel, state = launched(loop(mode=mode), requires=SIX)
        assert isinstance(refused(kernel.enter_loop, state, LoopContract(part=ONE)), WrongContext)
    for mode in (kc.SEQUENTIAL, kc.PARALLEL, kc.THREAD):
        kernel, state = begun(kc.LaunchKernel(ONE, ONE, ZERO), loop(mode=mode))
        assert isinstance(refused(kernel.enter_loop, kernel.launch(state), LoopContract(part=ONE)), WrongContext)


def test_owners_and_marks_of_invariants() -> None:
    """A loop of the whole group starts from what its threads own and have read, not from less."""
    writes, reads = threads("t", 6, store(k.var("t", INT))), threads("u", 6, load(k.sub(k.num(5), k.var("u", INT))))
    again = loop(bound=m)
    kernel, state = launched(writes, again, requires=SIX)
    state = written_by_threads(kernel, state)
    mine = Owner(B0, ONE)
    kept = Invariant(1, TRUE, None)
    assert isinstance(refused(kernel.enter_loop, state, LoopContract((), (kept,))), NotOwner)
    assert isinstance(
        refused(kernel.enter_loop, state, LoopContract((), (replace(kept, owner=Owner(ZERO, k.num(2))),))), NotOwner
    )
    kernel.enter_loop(state, LoopContract((), (replace(kept, owner=mine),)))
    kernel, state = launched(reads, again, requires=SIX)
    body = kernel.enter_loop(state, LoopContract(part=ONE))
    v = entered_loop(body).v
    state = kernel.leave_loop(kernel.load(body, 1, (k.sub(k.num(5), v),)), (), ())
    assert len(state.pending_reads) == 1
    with pytest.raises((Rejected, ValueError)):
        kernel.enter_loop(state, LoopContract((), (kept,)))
    assert isinstance(
        refused(kernel.enter_loop, state, LoopContract((), (kept,), covers=(Cover(0, (B0,)),))), UncoveredRead
    )
    wide = PendingRead(1, Cells("a", ((ZERO, n), (ZERO, n)), TRUE, (B0,)), Owner(ZERO, k.num(6)))
    contract = LoopContract((), (kept,), pending_reads=(wide,), covers=(Cover(0, (k.sub(k.num(5), B0),)),))
    kernel.enter_loop(state, contract)
    narrow = replace(wide, reader=Owner(ZERO, ONE))
    assert isinstance(refused(kernel.enter_loop, state, replace(contract, pending_reads=(narrow,))), UncoveredRead)


def test_the_end_of_a_loop_leaves_the_owners_and_marks_it_started_with() -> None:
    """Two iterations: what threads wrote or read in the first is not everyone's in the second."""
    kept = Invariant(1, TRUE, None)
    writes = threads("t", 6, store(k.var("t", INT)))
    kernel, state = launched(loop(writes, bound=m), requires=SIX)
    end = written_by_threads(kernel, kernel.enter_loop(state, LoopContract((), (kept,))))
    assert isinstance(refused(kernel.leave_loop, end, (), ((),)), NotOwner)
    reads = threads("u", 6, load(k.sub(k.num(5), k.var("u", INT))))
    kernel, state = launched(loop(reads, bound=m), requires=SIX)
    body = kernel.enter_loop(kernel.enter_loop(state, LoopContract((), (kept,))), LoopContract(part=ONE))
    v = entered_loop(body).v
    end = kernel.leave_loop(kernel.load(body, 1, (k.sub(k.num(5), v),)), (), ())
    with pytest.raises((Rejected, ValueError)):
        kernel.leave_loop(end, (), ((),))
    assert isinstance(refused(kernel.leave_loop, end, (), ((),), (Cover(0, (B0,)),)), UncoveredRead)


def test_what_was_read_is_not_taken_by_others() -> None:
    reads = threads("u", 6, load(k.sub(k.num(5), k.var("u", INT))))
    writes = threads("t", 6, store(k.var("t", INT)))
    kernel, state = launched(reads, writes, requires=SIX)
    body = kernel.enter_loop(state, LoopContract(part=ONE))
    v = entered_loop(body).v
    state = kernel.leave_loop(kernel.load(body, 1, (k.sub(k.num(5), v),)), (), ())
    assert isinstance(refused(kernel.enter_loop, state, LoopContract((each(k.num(6)),), part=ONE)), UnorderedRead)


def test_owners_do_not_speak_of_a_finished_body() -> None:
    kernel, state = launched(threads("t", 6, store(k.var("t", INT))), requires=SIX)
    body = kernel.enter_loop(state, LoopContract((each(k.num(6)),), part=ONE))
    (number,) = [f for f in body.held if f not in state.held]
    end = kernel.store(body, number, ())
    inside = k.rule_var("z", end.counter - 1, INT)
    for owner in (Owner(inside, ONE), Owner(ZERO, inside)):
        forged = changed(
            end, held={**end.held, number: replace(end.held[number], owner=owner)}, counter=end.counter + 1
        )
        assert isinstance(refused(kernel.leave_loop, forged, ((),), ()), OutOfOrder)
    for used in (inside, k.add(ONE, inside)):
        forged = changed(end, context=replace(end.context, used=used), counter=end.counter + 1)
        assert isinstance(refused(kernel.leave_loop, forged, ((),), ()), OutOfOrder)


def test_barriers() -> None:
    kernel, state = launched(kc.Barrier("magic"))
    assert isinstance(refused(kernel.barrier, state), WrongContext)
    for level in ("block", "warp"):
        kernel, state = begun(kc.Barrier(level))
        assert isinstance(refused(kernel.barrier, state), WrongContext)
    kernel, state = launched(kc.Barrier("warp"), block=32, grid=k.num(2))
    assert isinstance(refused(kernel.barrier, state), WrongGroup)


def test_shuffles() -> None:
    shuffle = kc.Shuffle("shfl_down", *VIEWS, ONE)
    maps = (2, (B0,), 3, (B0,), (B0,))
    kernel, state = shuffling(shuffle)
    kernel.shuffle(state, *maps)
    for amount in (32, 33, -1):
        kernel, state = shuffling(replace(shuffle, amount=k.num(amount)))
        assert isinstance(refused(kernel.shuffle, state, *maps), ShuffleOutsideWarp)
    kernel, state = shuffling(shuffle, written=False)
    assert isinstance(refused(kernel.shuffle, state, *maps), Uninitialised)
    for block, grid, why in ((64, ONE, "level"), (16, k.num(2), "warp"), (8, ONE, "level")):
        kernel, state = shuffling(shuffle, block=block, grid=grid)
        assert refused(kernel.shuffle, state, *maps).reason == why
    kernel, state = shuffling(shuffle)
    s = strangers(state)[0]
    for wrong in ((2, (s,), 3, (B0,), (B0,)), (2, (B0,), 3, (s,), (B0,)), (2, (B0,), 3, (B0,), (s,))):
        assert isinstance(refused(kernel.shuffle, state, *wrong), OutOfOrder)
    for wrong in (
        (2, (ZERO,), 3, (B0,), (B0,)), (2, (B0,), 3, (ZERO,), (B0,)), (2, (B0,), 3, (B0,), (ZERO,)),
        (3, (B0,), 2, (B0,), (B0,)), (9, (B0,), 3, (B0,), (B0,)),
    ):  # fmt: skip
        refused(kernel.shuffle, state, *wrong)
    swapped = {**state.held, 3: replace(state.held[3], owner=Owner(k.sub(k.num(31), B0), ONE))}
    assert isinstance(refused(kernel.shuffle, changed(state, held=swapped), *maps), NotOwner)
    swapped = {**state.held, 2: replace(state.held[2], owner=Owner(k.sub(k.num(31), B0), ONE))}
    assert isinstance(refused(kernel.shuffle, changed(state, held=swapped), *maps), NotOwner)
    fewer = {**state.held, 2: state.held[2].without(k.eq(B0, k.num(31)))}
    assert isinstance(refused(kernel.shuffle, changed(state, held=fewer), *maps), MissingPermission)
    shared = {**state.bases, "p": replace(state.bases["p"], space="SMem")}
    assert isinstance(refused(kernel.shuffle, changed(state, bases=shared), *maps), WrongSpace)
    lent = {**state.held, 3: replace(state.held[3], share=READ)}
    assert isinstance(refused(kernel.shuffle, changed(state, held=lent), *maps), MissingPermission)


# Kernels


def test_launches_and_phases() -> None:
    for grid, block, shared in ((-1, 1, 0), (2**31, 1, 0), (1, 0, 0), (1, 1025, 0), (1, 1, -1), (1, 1, 227 * 1024 + 1)):
        kernel, state = begun(kc.LaunchKernel(k.num(grid), k.num(block), k.num(shared)))
        assert isinstance(refused(kernel.launch, state), LaunchLimit)
    kernel, state = begun(kc.LaunchKernel(k.sub(n, ONE), ONE, ZERO))
    assert isinstance(refused(kernel.launch, state), LaunchLimit)  # -1 blocks if n is 0
    kernel, state = begun(kc.LaunchKernel(n, ONE, ZERO), kc.LaunchKernel(n, ONE, ZERO))
    assert isinstance(refused(kernel.launch, kernel.launch(state)), WrongContext)
    kernel, state = launched(threads("t", 6, kc.Phase("teardown")), requires=SIX)
    body = kernel.enter_loop(state, LoopContract(part=ONE))
    assert isinstance(refused(kernel.phase, body), WrongContext)  # one thread ends the kernel
    kernel, state = launched(REGISTERS[0], kc.Phase("teardown"))
    assert isinstance(refused(kernel.phase, kernel.allocate(state)), LeftInKernel)
    setup = (
        kc.LaunchKernel(ONE, ONE, k.num(64)),
        kc.Allocate("s", REAL, (ONE,), "SMem", True, True, 4),
        kc.Phase("threads"),
    )
    kernel, state = begun(*setup, kc.Phase("teardown"), kc.Phase("host"))
    state = kernel.phase(kernel.phase(kernel.allocate(kernel.launch(state))))
    assert isinstance(refused(kernel.phase, state), LeftInKernel)


# Calls


def test_calls() -> None:
    kernel, state = calling(callee())
    kernel.call(state, (), (ID,), ())
    assert kernel.ledger.admitted == {"g"}
    for takes in ((), (ID, ID)):
        with pytest.raises((Rejected, ValueError)):
            kernel.call(state, (), takes, ())
    s = strangers(state)[0]
    for wrong in (Take(1, (s,), (B0,)), Take(1, (B0,), (s,))):
        assert isinstance(refused(kernel.call, state, (), (wrong,), ()), OutOfOrder)
    with pytest.raises(ValueError):
        kernel, state = calling(callee(admitted=False))
        kernel.call(state, (), (ID,), ())
    kernel, state = calling(callee(device=True))
    assert isinstance(refused(kernel.call, state, (), (ID,), ()), WrongContext)
    kernel, state = launched(kc.Invoke(None, "g", (n, VIEW)), others=(callee(),))
    assert isinstance(refused(kernel.call, state, (), (ID,), ()), WrongContext)
    group = callee(device=True, params=(kc.Parameter("k", INT), kc.Parameter("y", REAL, (k.var("k", INT),), "GMem")))
    kernel, state = launched(kc.Invoke(None, "g", (n, VIEW)), others=(group,))
    assert isinstance(refused(kernel.call, state, (), (ID,), ()), WrongGroup)  # six threads write


def test_a_call_needs_its_precondition() -> None:
    k_ = k.var("k", INT)
    full, read = CellClaim(box("y", (k_,)), SOME), CellClaim(box("z", (k_,)), SOME, None, READ)
    needs = callee(contract=kc.ProcedureContract((), (k.lt(ZERO, k_),), (full,), (full,), ()))
    kernel, state = calling(needs)
    assert isinstance(refused(kernel.call, state, (), (ID,), ((),)), UnprovedFact)
    with pytest.raises((Rejected, ValueError)):
        kernel.call(state, (), (ID,), ())
    alias = callee(
        params=(kc.Parameter("k", INT), kc.Parameter("y", REAL, (k_,)), kc.Parameter("z", REAL, (k_,))),
        contract=kc.ProcedureContract((), (), (full, read), (full,), ()),
    )
    kernel, state = calling(alias, n, VIEW, VIEW)
    assert isinstance(refused(kernel.call, state, (), (ID, ID), ()), MissingPermission)  # one array, written and read
    about = k.var("V", INT)
    logic = callee(contract=kc.ProcedureContract((about,), (k.lt(ZERO, about),), (full,), (full,), ()))
    kernel, state = calling(logic)
    s = strangers(state)[0]
    assert isinstance(refused(kernel.call, state, (s,), (ID,), ((),)), OutOfOrder)
    with pytest.raises((Rejected, ValueError)):
        kernel.call(state, (), (ID,), ((),))


def test_arguments_fit_parameters() -> None:
    k_ = k.var("k", INT)
    for args in ((k.num(1, REAL), VIEW), (VIEW, n), (n, n), (TRUE, VIEW), (VIEW, VIEW), (n, k.num(1, REAL))):
        kernel, state = calling(callee(), *args)
        assert isinstance(refused(kernel.call, state, (), (ID,), ()), WrongShape)
    for args in ((n,), (n, VIEW, VIEW)):
        kernel, state = calling(callee(), *args)
        with pytest.raises((Rejected, ValueError)):
            kernel.call(state, (), (ID,), ())
    integers = callee(params=(kc.Parameter("k", INT), kc.Parameter("y", INT, (k_,))))
    deeper = callee(params=(kc.Parameter("k", INT), kc.Parameter("y", REAL, (k_, k_))))
    for g in (integers, deeper):
        kernel, state = calling(g)
        assert isinstance(refused(kernel.call, state, (), (ID,), ()), WrongShape)
    kernel, state = calling(callee(params=(kc.Parameter("k", INT), kc.Parameter("y", REAL, (k_,), "GMem"))))
    assert isinstance(refused(kernel.call, state, (), (ID,), ()), WrongSpace)
    rows = kc.Parameter("y", REAL, (k.num(2), k_))
    wide = callee(params=(kc.Parameter("k", INT), rows), contract=kc.ProcedureContract((), (), (), (), ()))
    matrix = kc.Parameter("b", REAL, (k.num(2), n))
    unsized = kc.Parameter("b", REAL, (k.num(2), None))
    for param, arg, ok in ((matrix, n, True), (matrix, m, False), (unsized, n, False)):
        kernel, state = calling(wide, arg, kc.ArrayView("b", (), ZERO), params=(param,))
        if ok:
            kernel.call(state, (), (), ())
        else:
            assert isinstance(refused(kernel.call, state, (), (), ()), WrongSizes)
    no_size = callee(params=(kc.Parameter("k", INT), kc.Parameter("y", REAL, (k.num(2), None))), contract=wide.contract)
    kernel, state = calling(no_size, n, kc.ArrayView("b", (), ZERO), params=(matrix,))
    assert isinstance(refused(kernel.call, state, (), (), ()), WrongSizes)


def test_what_a_call_gives_back_goes_where_it_was_taken() -> None:
    """g gives its array back from the other end: cell k - 1 - i holds i."""
    size = k.var("k", INT)
    full = CellClaim(box("y", (size,)), SOME)
    back = CellClaim(Cells("y", ((ZERO, size),), TRUE, (k.sub(k.sub(size, ONE), B0),)), KNOWN, k.to_real(B0))
    g = callee(contract=kc.ProcedureContract((), (), (full,), (back,), ()))
    turned = k.sub(k.sub(n, ONE), B0)
    kernel, state = calling(g, post=(CellClaim(WHOLE, KNOWN, k.to_real(turned)),))
    after = kernel.call(state, (), (ID,), (), (Take(1, (turned,), (turned,)),))
    kernel.finish(after, (ID,), ())
    s = strangers(state)[0]
    wrong = [
        ID,
        Take(1, (turned,), (B0,)),
        Take(1, (B0,), (turned,)),
        Take(1, (s,), (turned,)),
        Take(1, (ZERO,), (ZERO,)),
    ]
    for give in wrong:
        refused(kernel.call, state, (), (ID,), (), (give,))
    for gives in ((Take(7, (turned,), (turned,)),), (ID, ID)):
        with pytest.raises((Rejected, ValueError, KeyError)):
            kernel.call(state, (), (ID,), (), gives)
    two = callee(
        contract=kc.ProcedureContract((k.var("V", INT),), (), (full,), (back, CellClaim(box("y", (ZERO,)), SOME)), ())
    )
    kernel, state = calling(two)
    for variables, gives in (
        ((ZERO,), (Take(1, (turned,), (turned,)),)),
        ((), (None, None)),
        ((ZERO, ZERO), (None, None)),
    ):
        with pytest.raises((Rejected, ValueError)):
            kernel.call(state, variables, (ID,), (), gives)
    half = callee(contract=kc.ProcedureContract((), (), (replace(full, cells=box("y", (ONE,))),), (back,), ()))
    kernel, state = calling(half, requires=(*SIZES, k.lt(ONE, n)))
    refused(kernel.call, state, (), (ID,), (), (Take(1, (turned,), (turned,)),))  # more than was taken


def test_a_function_is_used_as_it_was_proved() -> None:
    g = callee(admitted=False)
    ledger = LedgerEntries()
    ledger.proved(g, kc.KernelProgram({"g": g}))
    ledger.used(g)
    with pytest.raises(ValueError):
        ledger.used(replace(g, device=True))
    with pytest.raises(ValueError):
        LedgerEntries().used(g)


def test_a_copy_is_the_one_that_the_kernel_defines() -> None:
    """A function that calls itself memcpy, with a contract of its own, is proved like any other."""
    fake = kc.Procedure(
        "memcpy_host_to_device1.real", (), kc.ProcedureContract((), (), (), (), (k.FALSE,)), (), primitive=True
    )
    kernel, state = begun(kc.Invoke(None, fake.name, ()), others=(fake,))
    with pytest.raises((Rejected, ValueError)):
        kernel.call(state, (), (), ())


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
    for variable, given in (
        (V, y),
        (V, TRUE),
        (V, NOUGHT),
        (A, P),
        (A, k.var("Q", k.fun_sort((REAL,), REAL))),
        (A, ZERO),
    ):
        g = kc.Procedure("g", (), kc.ProcedureContract((variable,), (), (), (), ()), (), admitted=True)
        kernel, state = begun(kc.Invoke(None, "g", ()), pre=(), others=(g,))
        if given.sort is variable.sort:
            kernel.call(state, (given,), (), ())
        else:
            with pytest.raises((Rejected, TypeError)):
                kernel.call(state, (given,), (), ())


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


def law(said: Term, init: Term = TRUE) -> LoopContract:
    return LoopContract((), (Invariant(1, init, None, law=said),))


def checked_after(law_: Term, body: kc.Instruction, question: Term) -> None:
    """Run the loop by a law, load a[0] after it, and ask."""
    first = kc.LoadCell(x, kc.CellAddress("a", (ZERO,)))
    kernel, state = instantiating(
        loop(body), first, kc.Oblige(question, kc.Obligation.DIVISION), requires=(*SIZES, k.lt(ZERO, n))
    )
    end = kernel.store(kernel.enter_loop(state, law(law_)), 1, (k.rule_var("i", 2, INT),))
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
    end = kernel.store(kernel.enter_loop(state, law(k.eq(LAW_X, THREE), written)), 1, (k.rule_var("i", 2, INT),))
    kernel.leave_loop(end, (), ((),))
    kernel, state = instantiating(loop(store(i, NOUGHT)), pre=(CellClaim(WHOLE, UNINIT),))
    end = kernel.store(kernel.enter_loop(state, law(k.eq(LAW_X, THREE), written)), 1, (k.rule_var("i", 2, INT),))
    assert isinstance(refused(kernel.leave_loop, end, (), ((),)), BrokenLaw)


def test_a_law_is_a_closed_statement_about_what_exists() -> None:
    kernel, state = instantiating(loop(store(i)))
    for name in ("b?0", "i#2", "a#3"):
        assert isinstance(refused(kernel.enter_loop, state, law(k.le(k.var(read_name(name), REAL), LAW_X))), OutOfOrder)
    for wrong in (k.implies(k.lt(LAW_V, ZERO), k.eq(k.bound(3, REAL), THREE)), LAW_V, k.eq(k.bound(0, INT), ZERO)):
        with pytest.raises((TypeError, Rejected)):
            kernel.enter_loop(state, law(wrong))
