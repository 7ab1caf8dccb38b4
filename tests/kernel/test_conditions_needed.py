"""Each test isolates one side condition: arguments that only this condition rejects, and similar ones that are accepted.

The long run tests/evidence/kernel_mutants.py says for which conditions they are needed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from optigpu.kernel import State
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import (
    Leak,
    MissingPermission,
    NotOwner,
    OutOfOrder,
    Overlap,
    UnorderedRead,
    UnprovedFact,
    WrongGroup,
    WrongSpace,
)
from optigpu.kernel.loop_contract import Invariant, LoopContract
from optigpu.kernel.side_conditions import Take
from optigpu.kernel.state import changed
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, READ, SOME, CellClaim, Cells, Owner, box
from optigpu.logic.equality import Case
from optigpu.logic.terms import INT, ONE, REAL, TRUE, ZERO, Term
from tests.support.kernel_states import (
    B0,
    ID,
    KNOWN_A,
    SIX,
    SIZES,
    WHOLE,
    begun,
    callee,
    each,
    i,
    kernel_of,
    launched,
    load,
    loop,
    n,
    refused,
    store,
    threads,
    written_by_threads,
)
from tests.support.needed_conditions import SIZE, claim
from tests.support.open_kernel import OpenKernel as Kernel
from tests.support.open_kernel import entered_loop

# The order of rules

ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "let": (), "load": (1, (ZERO,)), "store": (1, (ZERO,)), "allocate": (), "free": (1, (B0,)), "oblige": (), "assertion": ((),),
    "ghost": ((), ()), "enter_if": (), "enter_loop": (LoopContract(),), "unroll": (), "call": ((), (), ()), "launch": (),
    "phase": (), "barrier": (), "choose": (), "shuffle": (1, (B0,), 1, (B0,), (B0,)),
}  # fmt: skip


@pytest.mark.parametrize("rule", ARGUMENTS)
def test_a_rule_is_for_its_instruction(rule: str) -> None:
    kernel, state = begun(kc.Oblige(TRUE, kc.Obligation.DIVISION) if rule == "let" else kc.Bind(i, ZERO))
    assert isinstance(refused(getattr(kernel, rule), state, *ARGUMENTS[rule]), OutOfOrder)
    kernel, state = begun()
    assert isinstance(refused(getattr(kernel, rule), state, *ARGUMENTS[rule]), OutOfOrder)


def test_a_block_ends_by_its_own_rule() -> None:
    kernel, state = begun(kc.Branch(k.lt(ZERO, n), (), ()), loop(), pre=())
    yes, no = kernel.enter_if(state)
    assert isinstance(refused(kernel.finish, yes, (), ()), OutOfOrder)
    assert isinstance(refused(kernel.leave_loop, yes, (), ()), OutOfOrder)
    after = kernel.join_if(yes, no)
    assert isinstance(refused(kernel.join_if, after, no), OutOfOrder)  # code is left
    body = kernel.enter_loop(after, LoopContract())
    assert isinstance(refused(kernel.join_if, body, no), OutOfOrder)
    assert isinstance(refused(kernel.join_if, yes, body), OutOfOrder)
    assert isinstance(refused(kernel.finish, body, (), ()), OutOfOrder)
    end = kernel.leave_loop(body, (), ())
    assert isinstance(refused(kernel.leave_loop, end, (), ()), OutOfOrder)
    kernel.finish(end, (), ())


def test_loops_take_for_themselves_what_is_held_in_full() -> None:
    for share in (READ, FULL):
        for contract in (LoopContract((each(n, None),)), LoopContract((), (Invariant(1, TRUE, None),))):
            kernel, state = begun(loop(), pre=(replace(KNOWN_A, share=share),))
            if share == FULL:
                kernel.enter_loop(state, contract)
            else:
                assert isinstance(refused(kernel.enter_loop, state, contract), MissingPermission)


# Calls by threads


def group_callee(*pre: CellClaim, space: str = "GMem") -> kc.Procedure:
    """A function for six threads, with claims on y (and z)."""
    params = (kc.Parameter("k", INT), kc.Parameter("y", REAL, (SIZE,), space), kc.Parameter("z", REAL, (SIZE,), space))
    post = tuple(c for c in pre if c.share == FULL)
    used = params[: 1 + len({c.cells.base for c in pre})]
    return callee(params=used, contract=kc.ProcedureContract((), (), pre, post, ()), device=True, threads=k.num(6))


MINE, ALL = Owner(B0, ONE), Owner(ZERO, k.num(6))
CALL = kc.Invoke(None, "g", (n, kc.ArrayView("a", (), ZERO)))


def called(state_owner: Owner | None, wanted: CellClaim) -> tuple[Kernel, State]:
    """Six threads hold a, with that owner, and call g."""
    kernel, state = launched(CALL, requires=SIX, others=(group_callee(wanted),))
    return kernel, changed(state, held={1: replace(state.held[1], owner=state_owner)})


def test_cells_are_handed_to_threads_that_may_access_them() -> None:
    for owner, wanted in ((None, None), (None, MINE), (MINE, MINE), (ALL, None), (ALL, MINE)):
        kernel, state = called(owner, claim(wanted))
        kernel.call(state, (), (ID,), ())
    for owner, wanted in (
        (MINE, None),
        (MINE, Owner(k.sub(k.num(5), B0), ONE)),
        (MINE, Owner(B0, k.num(2))),
        (Owner(ZERO, k.num(12)), Owner(ZERO, k.num(12))),  # threads outside of the group
        (Owner(k.num(-1), k.num(7)), Owner(k.num(-1), ONE)),
        (MINE, Owner(B0, ZERO)),  # nobody
        (None, Owner(B0, ZERO)),
    ):
        for share in (FULL, READ):
            kernel, state = called(owner, claim(wanted, share))
            assert isinstance(refused(kernel.call, state, (), (ID,), ()), NotOwner)


def after_reading(index: Term, wanted: CellClaim, *between: kc.Instruction) -> tuple[Kernel, State]:
    """Each of six threads has read one cell; the next instruction is a call of g (or what is between)."""
    reads = threads("u", 6, load(index))
    kernel, state = launched(reads, *between, CALL, requires=SIX, others=(group_callee(wanted),))
    body = kernel.enter_loop(state, LoopContract(part=ONE))
    v = entered_loop(body).v
    return kernel, kernel.leave_loop(kernel.load(body, 1, (k.substitute(index, {k.var("u", INT): v}),)), (), ())


def test_cells_that_were_read_are_handed_to_their_only_reader() -> None:
    u = k.var("u", INT)
    turned = k.sub(k.num(5), u)
    for index, wanted in ((u, claim(MINE)), (turned, claim(None, READ)), (turned, claim(MINE, READ))):
        kernel, state = after_reading(index, wanted)
        kernel.call(state, (), (ID,), ())
    for index, wanted in (
        (turned, claim(MINE)),  # another has read it
        (u, claim(None)),  # the reader and five others may write it
        (u, claim(Owner(ZERO, k.num(6)))),
    ):
        kernel, state = after_reading(index, wanted)
        assert isinstance(refused(kernel.call, state, (), (ID,), ()), UnorderedRead)
        kernel, state = after_reading(index, wanted, kc.Barrier("block"))
        kernel.call(kernel.barrier(state), (), (ID,), ())


def test_reads_of_one_family_do_not_concern_another() -> None:
    """Marks are about a family: b was read, a is handed over."""
    b = kc.Parameter("b", REAL, (n,), "GMem")
    reads = threads("u", 6, load(k.sub(k.num(5), k.var("u", INT)), "b"))
    pre = (KNOWN_A, CellClaim(box("b", (n,)), SOME))
    kernel, state = launched(reads, CALL, requires=SIX, params=(b,), pre=pre, others=(group_callee(claim(MINE)),))
    body = kernel.enter_loop(state, LoopContract(part=ONE))
    state = kernel.leave_loop(kernel.load(body, 2, (k.sub(k.num(5), entered_loop(body).v),)), (), ())
    assert state.pending_reads
    kernel.call(state, (), (ID,), ())


def test_what_a_callee_reads_is_marked() -> None:
    """After `g` has read a, no thread may write a cell before the barrier."""
    writes = threads("t", 6, store(k.var("t", INT)))
    for share, barrier in ((READ, False), (READ, True), (FULL, False)):
        between = (kc.Barrier("block"),) if barrier else ()
        kernel, state = launched(CALL, *between, writes, requires=SIX, others=(group_callee(claim(MINE, share)),))
        state = kernel.call(state, (), (ID,), ())
        state = kernel.barrier(state) if barrier else state
        if share == READ and not barrier:
            assert isinstance(
                refused(kernel.enter_loop, state, LoopContract((each(k.num(6)),), part=ONE)), UnorderedRead
            )
        else:
            written_by_threads(kernel, state)


def test_host_memory_is_not_handed_to_threads() -> None:
    """An admitted device function may ask for host memory; there is none that threads could access."""
    b = kc.Parameter("b", REAL, (n,))
    pre = (KNOWN_A, CellClaim(box("b", (n,)), SOME))
    for share in (FULL, READ):
        g = group_callee(claim(MINE, share), space="Any")
        call = kc.Invoke(None, "g", (n, kc.ArrayView("b", (), ZERO)))
        kernel, state = launched(call, requires=SIX, params=(b,), pre=pre, others=(g,))
        assert isinstance(refused(kernel.call, state, (), (Take(2, (B0,), (B0,)),), ()), WrongSpace)
    for group, ok in ((6, True), (5, False)):
        g = replace(group_callee(claim()), threads=k.num(group))
        kernel, state = launched(CALL, requires=SIX, others=(g,))
        if ok:
            kernel.call(state, (), (ID,), ())
        else:
            assert isinstance(refused(kernel.call, state, (), (ID,), ()), WrongGroup)


def test_memory_of_devices_is_any_that_threads_have() -> None:
    for space, ok in (("GMem", True), ("SMem", True), ("TReg", True), ("Any", False)):
        g = group_callee(claim(), space="Device")
        kernel, state = launched(CALL, requires=SIX, others=(g,))
        state = changed(state, bases={"a": replace(state.bases["a"], space=space)})
        if ok:
            kernel.call(state, (), (ID,), ())
        else:
            assert isinstance(refused(kernel.call, state, (), (ID,), ()), WrongSpace)
            silent = replace(g, contract=kc.ProcedureContract((), (), (), (), ()))  # nothing is claimed of the array
            kernel = Kernel(kernel.judge, kc.KernelProgram({**kernel.program.functions, "g": silent}), kernel.ledger)
            assert isinstance(refused(kernel.call, state, (), (), ()), WrongSpace)
    kernel, state = launched(CALL, requires=SIX, others=(group_callee(claim(), space="SMem"),))
    assert isinstance(refused(kernel.call, state, (), (ID,), ()), WrongSpace)


# What a call gives back


def turned_callee() -> kc.Procedure:
    """Gives its cells back from the other end."""
    back = CellClaim(Cells("y", ((ZERO, SIZE),), TRUE, (k.sub(k.sub(SIZE, ONE), B0),)), SOME)
    return callee(contract=kc.ProcedureContract((), (), (CellClaim(box("y", (SIZE,)), SOME),), (back,), ()))


def test_a_call_for_some_cells_leaves_the_others() -> None:
    m = k.var("m", INT)
    part = (*SIZES, k.le(m, n))
    call = kc.Invoke(None, "g", (m, kc.ArrayView("a", (), ZERO)))
    turned = k.sub(k.sub(m, ONE), B0)
    kernel, state = begun(call, others=(turned_callee(),), requires=part, post=(CellClaim(WHOLE, SOME),))
    for gives in ((Take(1, (turned,), (turned,)),), ()):
        after = kernel.call(state, (), (ID,), (), gives)
        if gives:
            kernel.finish(after, (ID,), ())
        else:  # a family of its own
            assert isinstance(refused(kernel.finish, after, (ID,), ()), MissingPermission)
            (new,) = after.held.keys() - state.held.keys()
            assert after.held[new].cells.arity == 1
    beyond = k.sub(k.sub(n, ONE), B0)  # cells at the end, that were not taken
    assert isinstance(refused(kernel.call, state, (), (ID,), (), (Take(1, (beyond,), (beyond,)),)), MissingPermission)


def test_cells_are_given_back_to_their_own_array() -> None:
    """g gives two arrays back from the other end; each goes where it was taken, and not into the other's family."""
    params = (kc.Parameter("k", INT), *(kc.Parameter(name, REAL, (SIZE,)) for name in "yz"))
    pre = tuple(CellClaim(box(name, (SIZE,)), SOME) for name in "yz")
    turn = k.sub(k.sub(SIZE, ONE), B0)
    post = tuple(CellClaim(Cells(name, ((ZERO, SIZE),), TRUE, (turn,)), SOME) for name in "yz")
    g = callee(params=params, contract=kc.ProcedureContract((), (), pre, post, ()))
    call = kc.Invoke(None, "g", (n, kc.ArrayView("a", (), ZERO), kc.ArrayView("b", (), ZERO)))
    mine = (KNOWN_A, CellClaim(box("b", (n,)), SOME))
    kernel, state = begun(call, pre=mine, params=(kc.Parameter("b", REAL, (n,)),), others=(g,))
    turned = k.sub(k.sub(n, ONE), B0)
    takes = tuple(Take(number, (B0,), (B0,)) for number in (1, 2))
    for numbers in ((1, 2), (2, 1), (1, 1)):
        gives = tuple(Take(number, (turned,), (turned,)) for number in numbers)
        if numbers == (1, 2):
            kernel.call(state, (), takes, (), gives)
        else:
            refused(kernel.call, state, (), takes, (), gives)


def test_cells_are_given_back_at_binders_that_the_family_has() -> None:
    """a's cells are numbered by even binders; an odd one is none of them, though it has the index of one."""
    two = k.num(2)
    even = CellClaim(Cells("a", ((ZERO, k.scale(2, n)),), k.eq(k.fmod(B0, two), ZERO), (k.fdiv(B0, two),)), SOME)
    call = kc.Invoke(None, "g", (n, kc.ArrayView("a", (), ZERO)))
    kernel = kernel_of(call, others=(turned_callee(),), pre=(even,))
    state = kernel.begin("f", ((k.scale(2, B0),),))
    take = Take(1, (k.scale(2, B0),), (k.fdiv(B0, two),))
    turned = k.sub(k.sub(n, ONE), B0)
    back = k.sub(k.sub(n, ONE), k.fdiv(B0, two))
    kernel.call(state, (), (take,), (), (Take(1, (k.scale(2, turned),), (back,)),))
    odd = k.add(k.scale(2, turned), ONE)
    assert isinstance(refused(kernel.call, state, (), (take,), (), (Take(1, (odd,), (back,)),)), MissingPermission)


def test_a_body_keeps_no_cells_that_a_call_brought() -> None:
    """An admitted function gives cells that it has not taken; after the loop nobody would know of them."""
    full = CellClaim(box("y", (SIZE,)), SOME)
    for post, ok in (((), True), ((full,), False)):
        g = callee(contract=kc.ProcedureContract((), (), (), post, ()))
        kernel, state = begun(loop(CALL), pre=(), others=(g,), requires=(*SIZES, k.lt(ZERO, n)))
        end = kernel.call(kernel.enter_loop(state, LoopContract()), (), (), ())
        if ok:
            kernel.leave_loop(end, (), ())
        else:
            assert isinstance(refused(kernel.leave_loop, end, (), ()), Leak)


# Claims and facts


def test_cells_may_be_read_twice() -> None:
    """The cells a[i div 2], for reading: two binders of one cell are no harm. In full they are."""
    two = k.num(2)
    twice = CellClaim(Cells("a", ((ZERO, n),), TRUE, (k.fdiv(B0, two),)), SOME, None, READ)
    take = Take(1, (k.fdiv(B0, two),), (k.scale(2, B0),))
    for share in (READ, FULL):
        kernel, state = begun(kc.GhostStep("g", (), (replace(twice, share=share),), (), ()))
        if share == READ:
            kernel.ghost(state, (take,), ())
        else:
            assert isinstance(refused(kernel.ghost, state, (take,), ()), Overlap)


def test_steps_prove_equations_only() -> None:
    """A[0] is 0, so A[0] = 0 holds by any steps; A[0] < 0 does not."""
    first, nothing = k.app(k.var("A", k.fun_sort((INT,), REAL)), ZERO), k.num(0, REAL)
    steps = (Case(k.lt(ZERO, n), (), ()),)
    goals = ((k.eq(first, nothing), True), (k.eq(first, k.num(1, REAL)), False), (k.lt(first, nothing), False))
    for goal, ok in goals:
        kernel, state = begun(kc.Assertion(goal), requires=(*SIZES, k.eq(first, nothing)))
        if ok:
            kernel.assertion(state, steps)
        else:
            assert isinstance(refused(kernel.assertion, state, steps), UnprovedFact)
