"""The rules for default memory, magic loops and magic barriers in a kernel, and attacks on them through their arguments."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from optigpu.kernel import State
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import (
    Cause,
    EmptyGroup,
    NotOwner,
    StillInUse,
    UncoveredRead,
    UnorderedRead,
    WrongContext,
    WrongSpace,
)
from optigpu.kernel.context import NOWHERE, imaginary
from optigpu.kernel.loop_contract import Cover, Invariant, LoopContract
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, Owner
from optigpu.logic.terms import INT, ONE, REAL, TRUE, ZERO, Term
from tests.support.kernel_states import B0, SIX, begun, each, load, loop, m, refused, store, threads
from tests.support.open_kernel import OpenKernel, entered_loop

SIX_CELLS = k.num(6)
MAGIC_BARRIER = kc.Barrier("magic")


def in_kernel(*code: kc.Instruction, block: int = 6, grid: Term = ONE, requires: Any = SIX) -> tuple[OpenKernel, State]:
    """In a kernel, with all threads of its grid; a is default memory."""
    start = (kc.LaunchKernel(grid, k.num(block), k.num(0)), kc.Phase("threads"))
    kernel, state = begun(*start, *code, requires=requires)
    return kernel, kernel.phase(kernel.launch(state))


def magic(*body: kc.Instruction, extent: Term = SIX_CELLS, name: str = "i") -> kc.CountedLoop:
    return kc.CountedLoop(k.var(name, INT), ZERO, "<", extent, "+", ONE, body, kc.MAGIC_THREAD)


def own_family(before: State, body: State) -> int:
    (number,) = [f for f in body.held if f not in before.held]
    return number


def written(kernel: OpenKernel, state: State, part: Term | None = None) -> State:
    """After a loop whose iteration v stores to cell v."""
    body = kernel.enter_loop(state, LoopContract((each(SIX_CELLS),), part=part))
    return kernel.leave_loop(kernel.store(body, own_family(state, body), ()), ((),), ())


def read(kernel: OpenKernel, state: State, part: Term | None = None) -> State:
    """After a loop whose iteration v loads cell 5 - v, which it does not have to itself."""
    body = kernel.enter_loop(state, LoopContract(part=part))
    return kernel.leave_loop(kernel.load(body, 1, (k.sub(k.num(5), entered_loop(body).v),)), (), ())


WRITE, READ = magic(store(k.var("i", INT))), magic(load(k.sub(k.num(5), k.var("i", INT))))
THREADS_WRITE = threads("t", 6, store(k.var("t", INT)))
THREADS_READ = threads("t", 6, load(k.sub(k.num(5), k.var("t", INT))))


def test_a_group_of_several_threads_stores_as_one() -> None:
    kernel, state = in_kernel(store(ZERO), load(ZERO))
    after = kernel.load(kernel.store(state, 1, (ZERO,)), 1, (ZERO,))
    assert after.pending_reads == () and after.held[1].owner is None


def test_a_group_that_may_be_empty_stores_nothing() -> None:
    kernel, state = in_kernel(store(ZERO), grid=m)
    assert isinstance(refused(kernel.store, state, 1, (ZERO,)), EmptyGroup)
    kernel, state = in_kernel(store(ZERO), grid=m, requires=(*SIX, k.lt(ZERO, m)))
    kernel.store(state, 1, (ZERO,))


@pytest.mark.parametrize(("first", "part"), [(WRITE, None), (THREADS_WRITE, ONE)])
def test_what_a_loop_has_written_the_group_accesses_after_a_magic_barrier(
    first: kc.CountedLoop, part: Term | None
) -> None:
    for access in (store(ZERO), load(ZERO)):
        rule = "store" if isinstance(access, kc.StoreCell) else "load"
        for barrier in ((), (kc.Barrier("block"),)):
            kernel, state = in_kernel(first, *barrier, access)
            state = written(kernel, state, part)
            for _ in barrier:
                state = kernel.barrier(state)
            assert isinstance(refused(getattr(kernel, rule), state, 1, (ZERO,)), NotOwner)
        kernel, state = in_kernel(first, MAGIC_BARRIER, access)
        getattr(kernel, rule)(kernel.barrier(written(kernel, state, part)), 1, (ZERO,))


@pytest.mark.parametrize(("first", "part"), [(READ, None), (THREADS_READ, ONE)])
def test_what_a_loop_has_read_the_group_writes_after_a_magic_barrier(first: kc.CountedLoop, part: Term | None) -> None:
    kernel, state = in_kernel(first, store(ZERO))
    assert isinstance(refused(kernel.store, read(kernel, state, part), 1, (ZERO,)), UnorderedRead)
    kernel, state = in_kernel(first, kc.Barrier("block"), store(ZERO))
    assert isinstance(refused(kernel.store, kernel.barrier(read(kernel, state, part)), 1, (ZERO,)), UnorderedRead)
    kernel, state = in_kernel(first, MAGIC_BARRIER, store(ZERO))
    kernel.store(kernel.barrier(read(kernel, state, part)), 1, (ZERO,))


def cells_refused(first: kc.CountedLoop, second: kc.CountedLoop, part: Term | None, whole: bool = True) -> Cause:
    """Why the second loop does not get cells of the first one, whose iterations wrote or read them."""
    kernel, state = in_kernel(first, second)
    state = written(kernel, state) if first is WRITE else read(kernel, state)
    return refused(kernel.enter_loop, state, LoopContract((replace(each(SIX_CELLS), whole=whole),), part=part))


@pytest.mark.parametrize("whole", [True, False])
def test_no_loop_takes_cells_of_an_unfinished_magic_loop(whole: bool) -> None:
    """Not even a magic loop with the same iterations, although both belong to the imaginary thread."""
    for second, part in ((WRITE, None), (THREADS_WRITE, ONE)):
        assert isinstance(cells_refused(WRITE, second, part, whole), NotOwner)
        assert isinstance(cells_refused(READ, second, part, whole), UnorderedRead)


def test_a_magic_loop_reads_only_what_the_whole_group_owns() -> None:
    for first, part in ((WRITE, None), (THREADS_WRITE, ONE)):
        kernel, state = in_kernel(first, READ)
        state = written(kernel, state, part)
        body = kernel.enter_loop(state, LoopContract())
        assert isinstance(refused(kernel.load, body, 1, (k.sub(k.num(5), entered_loop(body).v),)), NotOwner)


def test_a_barrier_in_an_iteration_does_not_order_what_is_lent_to_it() -> None:
    for first, part in ((WRITE, None), (THREADS_WRITE, ONE)):
        kernel, state = in_kernel(first, magic(MAGIC_BARRIER, load(ZERO)))
        body = kernel.barrier(kernel.enter_loop(written(kernel, state, part), LoopContract()))
        assert isinstance(refused(kernel.load, body, 1, (ZERO,)), NotOwner)


def test_after_an_inner_magic_loop_the_iteration_waits_too() -> None:
    inner = magic(store(k.var("j", INT)), name="j")
    for barrier in ((), (MAGIC_BARRIER,)):
        kernel, state = in_kernel(magic(inner, *barrier, load(ZERO), extent=ONE))
        all_cells = replace(
            each(SIX_CELLS), cells=replace(each(SIX_CELLS).cells, ranges=((ZERO, ONE), (ZERO, SIX_CELLS)))
        )
        all_cells = replace(all_cells, back=(ZERO, B0))
        body = kernel.enter_loop(state, LoopContract((all_cells,)))
        number = own_family(state, body)
        innermost = kernel.enter_loop(body, LoopContract((each(SIX_CELLS, family=number),)))
        body = kernel.leave_loop(kernel.store(innermost, own_family(body, innermost), ()), ((),), ())
        if barrier:
            kernel.load(kernel.barrier(body), number, (ZERO,))
        else:
            assert isinstance(refused(kernel.load, body, number, (ZERO,)), NotOwner)


def test_reads_of_magic_loops_restrict_a_single_thread_too() -> None:
    """Also where they are inside of a sequential loop of the thread, whose own reads do not."""
    kernel, state = in_kernel(loop(READ, bound=m), store(ZERO), block=1)
    body = kernel.enter_loop(state, LoopContract())
    state = kernel.leave_loop(read(kernel, body), (), ())
    assert [r.reader for r in state.pending_reads] == [imaginary()]
    assert isinstance(refused(kernel.store, state, 1, (ZERO,)), UnorderedRead)


def test_invariants_do_not_hide_what_magic_loops_did() -> None:
    kept = Invariant(1, TRUE, None)
    kernel, state = in_kernel(WRITE, loop(bound=m))
    state = written(kernel, state)
    for owner in (
        None,
        Owner(ZERO, SIX_CELLS),
        Owner(ZERO, ONE),
        Owner(k.add(NOWHERE, ONE), ONE),
        Owner(NOWHERE, ZERO),
    ):
        assert isinstance(refused(kernel.enter_loop, state, LoopContract((), (replace(kept, owner=owner),))), NotOwner)
    kernel.enter_loop(state, LoopContract((), (replace(kept, owner=imaginary()),)))
    kernel, state = in_kernel(READ, loop(bound=m))
    state = read(kernel, state)
    (pending,) = state.pending_reads
    narrow = replace(pending, reader=Owner(ZERO, SIX_CELLS))
    assert isinstance(refused(kernel.forget, state, 0, narrow, Cover(0, (B0,))), UncoveredRead)


def test_magic_loops_use_no_memory_of_threads() -> None:
    register = kc.Allocate("r", REAL, (SIX_CELLS,), "Any", False, False, 4)
    kernel, state = in_kernel(register, magic(store(k.var("i", INT), base="r")))
    state = kernel.allocate(state)
    (number,) = [f for f, r in state.held.items() if r.cells.base == "r"]
    mine = each(SIX_CELLS, family=number, base="r")
    assert isinstance(refused(kernel.enter_loop, state, LoopContract((mine,))), WrongSpace)
    start = (kc.LaunchKernel(ONE, k.num(6), ZERO), kc.Phase("threads"))
    kernel, state = begun(*start, magic(load(ZERO)), requires=SIX, space="GMem")
    body = kernel.enter_loop(kernel.phase(kernel.launch(state)), LoopContract())
    assert isinstance(refused(kernel.load, body, 1, (ZERO,)), WrongSpace)


@pytest.mark.parametrize("level", ["block", "warp", "kernel"])
def test_magic_loops_have_no_barriers_of_threads(level: str) -> None:
    kernel, state = in_kernel(magic(kc.Barrier(level)))
    assert isinstance(refused(kernel.barrier, kernel.enter_loop(state, LoopContract())), WrongContext)


def test_magic_loops_have_no_thread_loops_and_do_not_end_the_kernel() -> None:
    for inside in (threads("t", 6), kc.Phase("teardown")):
        kernel, state = in_kernel(magic(inside))
        body = kernel.enter_loop(state, LoopContract())
        rule = (
            kernel.phase
            if isinstance(inside, kc.Phase)
            else lambda s, kernel=kernel: kernel.enter_loop(s, LoopContract(part=ONE))
        )
        assert isinstance(refused(rule, body), WrongContext)


def test_default_memory_is_freed_by_the_group_that_owns_all_of_it() -> None:
    allocate, free = kc.Allocate("b", REAL, (SIX_CELLS,), "Any", True, False, 4), kc.Release("b")
    writes = magic(store(k.var("i", INT), base="b"))
    for barrier in ((), (MAGIC_BARRIER,)):
        kernel, state = in_kernel(allocate, writes, *barrier, free)
        state = kernel.allocate(state)
        (number,) = [f for f, r in state.held.items() if r.cells.base == "b"]
        body = kernel.enter_loop(state, LoopContract((each(SIX_CELLS, family=number, base="b"),)))
        state = kernel.leave_loop(kernel.store(body, own_family(state, body), ()), ((),), ())
        if barrier:
            assert "b" not in kernel.free(kernel.barrier(state), number, (B0,)).bases
        else:
            assert isinstance(refused(kernel.free, state, number, (B0,)), StillInUse)


def test_the_end_of_the_threads_orders_default_memory() -> None:
    kernel, state = in_kernel(WRITE, kc.Phase("teardown"))
    after = kernel.phase(written(kernel, state))
    assert after.held[1].owner is None and after.held[1].share == FULL


def test_device_functions_have_no_default_memory() -> None:
    assert isinstance(refused(lambda: begun(device=True, space="Any")), WrongSpace)
