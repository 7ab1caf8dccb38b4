"""For single side conditions: arguments that only this one refuses, beside ones that are accepted.

The long run tests/evidence/kernel_mutants.py says for which conditions they are needed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from optigpu.kernel import code as kc
from optigpu.kernel import terms as k
from optigpu.kernel.calls import Kernel
from optigpu.kernel.cells import FULL, READ, SOME, Cells, Claim, Owner, box
from optigpu.kernel.conditions import Take
from optigpu.kernel.iterations import Invariant, LoopContract
from optigpu.kernel.state import State, changed
from optigpu.kernel.terms import INT, ONE, REAL, TRUE, ZERO, Term
from tests.kernel.test_attacks import (
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

SIZE = k.var("k", INT)

# The order of rules

ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "let": (), "load": (1, (ZERO,)), "store": (1, (ZERO,)), "allocate": (), "free": (1, (B0,)), "oblige": (), "assertion": ((),),
    "ghost": ((), ()), "enter_if": (), "enter_loop": (LoopContract(),), "unroll": (), "call": ((), (), ()), "launch": (),
    "phase": (), "barrier": (), "shuffle": (1, (B0,), 1, (B0,), (B0,)),
}  # fmt: skip


@pytest.mark.parametrize("rule", ARGUMENTS)
def test_a_rule_is_for_its_instruction(rule: str) -> None:
    kernel, state = begun(kc.Oblige(TRUE, "") if rule == "let" else kc.Let(i, ZERO))
    assert refused(getattr(kernel, rule), state, *ARGUMENTS[rule]).rule == "order"
    kernel, state = begun()
    assert refused(getattr(kernel, rule), state, *ARGUMENTS[rule]).rule == "order"


def test_a_block_ends_by_its_own_rule() -> None:
    kernel, state = begun(kc.If(k.lt(ZERO, n), (), ()), loop(), pre=())
    yes, no = kernel.enter_if(state)
    assert refused(kernel.finish, yes, (), ()).rule == "order"
    assert refused(kernel.leave_loop, yes, (), ()).rule == "order"
    after = kernel.join_if(yes, no)
    assert refused(kernel.join_if, after, no).rule == "order"  # code is left
    body = kernel.enter_loop(after, LoopContract())
    assert refused(kernel.join_if, body, no).rule == "order"
    assert refused(kernel.join_if, yes, body).rule == "order"
    assert refused(kernel.finish, body, (), ()).rule == "order"
    end = kernel.leave_loop(body, (), ())
    assert refused(kernel.leave_loop, end, (), ()).rule == "order"
    kernel.finish(end, (), ())


def test_loops_take_for_themselves_what_is_held_in_full() -> None:
    for share in (READ, FULL):
        for contract in (LoopContract((each(n, None),)), LoopContract((), (Invariant(1, TRUE, None),))):
            kernel, state = begun(loop(), pre=(replace(KNOWN_A, share=share),))
            if share == FULL:
                kernel.enter_loop(state, contract)
            else:
                assert refused(kernel.enter_loop, state, contract).why == "permission"


# Calls by threads


def group_callee(*pre: Claim, space: str = "GMem") -> kc.Function:
    """A function for six threads, with claims on y (and z)."""
    params = (kc.Param("k", INT), kc.Param("y", REAL, (SIZE,), space), kc.Param("z", REAL, (SIZE,), space))
    post = tuple(c for c in pre if c.share == FULL)
    used = params[: 1 + len({c.cells.base for c in pre})]
    return callee(params=used, contract=kc.Contract((), (), pre, post, ()), device=True, threads=k.num(6))


def claim(owner: Owner | None = None, share: str = FULL) -> Claim:
    return Claim(box("y", (SIZE,)), SOME, None, share, owner)


MINE, ALL = Owner(B0, ONE), Owner(ZERO, k.num(6))
CALL = kc.Call(None, "g", (n, kc.View("a", (), ZERO)))


def called(state_owner: Owner | None, wanted: Claim) -> tuple[Kernel, State]:
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
            assert refused(kernel.call, state, (), (ID,), ()).why == "owner"


def after_reading(index: Term, wanted: Claim, *between: kc.Instr) -> tuple[Kernel, State]:
    """Each of six threads has read one cell; the next instruction is a call of g (or what is between)."""
    reads = threads("u", 6, load(index))
    kernel, state = launched(reads, *between, CALL, requires=SIX, others=(group_callee(wanted),))
    body = kernel.enter_loop(state, LoopContract(part=ONE))
    v = body.block.data.v
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
        assert refused(kernel.call, state, (), (ID,), ()).why == "read"
        kernel, state = after_reading(index, wanted, kc.Barrier("block"))
        kernel.call(kernel.barrier(state), (), (ID,), ())


def test_reads_of_one_family_do_not_concern_another() -> None:
    """Marks are about a family: b was read, a is handed over."""
    b = kc.Param("b", REAL, (n,), "GMem")
    reads = threads("u", 6, load(k.sub(k.num(5), k.var("u", INT)), "b"))
    pre = (KNOWN_A, Claim(box("b", (n,)), SOME))
    kernel, state = launched(reads, CALL, requires=SIX, params=(b,), pre=pre, others=(group_callee(claim(MINE)),))
    body = kernel.enter_loop(state, LoopContract(part=ONE))
    state = kernel.leave_loop(kernel.load(body, 2, (k.sub(k.num(5), body.block.data.v),)), (), ())
    assert state.marks
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
            assert refused(kernel.enter_loop, state, LoopContract((each(k.num(6)),), part=ONE)).why == "read"
        else:
            written_by_threads(kernel, state)


def test_host_memory_is_not_handed_to_threads() -> None:
    """An admitted device function may ask for host memory; there is none that threads could access."""
    b = kc.Param("b", REAL, (n,))
    pre = (KNOWN_A, Claim(box("b", (n,)), SOME))
    for share in (FULL, READ):
        g = group_callee(claim(MINE, share), space="Any")
        call = kc.Call(None, "g", (n, kc.View("b", (), ZERO)))
        kernel, state = launched(call, requires=SIX, params=(b,), pre=pre, others=(g,))
        assert refused(kernel.call, state, (), (Take(2, (B0,), (B0,)),), ()).why == "space"
    for group, ok in ((6, True), (5, False)):
        g = replace(group_callee(claim()), threads=k.num(group))
        kernel, state = launched(CALL, requires=SIX, others=(g,))
        if ok:
            kernel.call(state, (), (ID,), ())
        else:
            assert refused(kernel.call, state, (), (ID,), ()).why == "level"


def test_memory_of_devices_is_any_that_threads_have() -> None:
    for space, ok in (("GMem", True), ("SMem", True), ("TReg", True), ("Any", False)):
        g = group_callee(claim(), space="Device")
        kernel, state = launched(CALL, requires=SIX, others=(g,))
        state = changed(state, bases={"a": replace(state.bases["a"], space=space)})
        if ok:
            kernel.call(state, (), (ID,), ())
        else:
            assert refused(kernel.call, state, (), (ID,), ()).why == "space"
    kernel, state = launched(CALL, requires=SIX, others=(group_callee(claim(), space="SMem"),))
    assert refused(kernel.call, state, (), (ID,), ()).why == "space"


# What a call gives back


def turned_callee() -> kc.Function:
    """Gives its cells back from the other end."""
    back = Claim(Cells("y", ((ZERO, SIZE),), TRUE, (k.sub(k.sub(SIZE, ONE), B0),)), SOME)
    return callee(contract=kc.Contract((), (), (Claim(box("y", (SIZE,)), SOME),), (back,), ()))


def test_a_call_for_some_cells_leaves_the_others() -> None:
    m = k.var("m", INT)
    part = (*SIZES, k.le(m, n))
    call = kc.Call(None, "g", (m, kc.View("a", (), ZERO)))
    turned = k.sub(k.sub(m, ONE), B0)
    kernel, state = begun(call, others=(turned_callee(),), requires=part, post=(Claim(WHOLE, SOME),))
    for gives in ((Take(1, (turned,), (turned,)),), ()):
        after = kernel.call(state, (), (ID,), (), gives)
        if gives:
            kernel.finish(after, (ID,), ())
        else:  # a family of its own
            assert refused(kernel.finish, after, (ID,), ()).why == "permission"
            (new,) = after.held.keys() - state.held.keys()
            assert after.held[new].cells.arity == 1
    beyond = k.sub(k.sub(n, ONE), B0)  # cells at the end, that were not taken
    assert refused(kernel.call, state, (), (ID,), (), (Take(1, (beyond,), (beyond,)),)).why == "permission"


def test_cells_are_given_back_at_binders_that_the_family_has() -> None:
    """a's cells are numbered by even binders; an odd one is none of them, though it has the index of one."""
    two = k.num(2)
    even = Claim(Cells("a", ((ZERO, k.scale(2, n)),), k.eq(k.fmod(B0, two), ZERO), (k.fdiv(B0, two),)), SOME)
    call = kc.Call(None, "g", (n, kc.View("a", (), ZERO)))
    kernel = kernel_of(call, others=(turned_callee(),), pre=(even,))
    state = kernel.begin("f", ((k.scale(2, B0),),))
    take = Take(1, (k.scale(2, B0),), (k.fdiv(B0, two),))
    turned = k.sub(k.sub(n, ONE), B0)
    back = k.sub(k.sub(n, ONE), k.fdiv(B0, two))
    kernel.call(state, (), (take,), (), (Take(1, (k.scale(2, turned),), (back,)),))
    odd = k.add(k.scale(2, turned), ONE)
    assert refused(kernel.call, state, (), (take,), (), (Take(1, (odd,), (back,)),)).why == "permission"
