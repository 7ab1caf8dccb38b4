"""The rules for threads, called directly: accepted conclusions are true in the finite model, false claims are rejected."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from optigpu.kernel import Rejected, State
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import (
    Cause,
    LaunchLimit,
    NotOwner,
    OutOfOrder,
    UncoveredRead,
    UnequalParts,
    UnorderedRead,
    WrongContext,
    WrongGroup,
    WrongValue,
)
from optigpu.kernel.context import PendingRead
from optigpu.kernel.ledger import LedgerEntries
from optigpu.kernel.loop_contract import Cover, Exclusive, LoopContract
from optigpu.logic import terms as k
from optigpu.logic.cells import SOME, CellClaim, Cells, Owner, box
from optigpu.logic.judge import ObligationJudge
from optigpu.logic.terms import INT, ONE, REAL, TRUE, ZERO, Term
from optigpu.solver.z3_solver import Z3Solver
from tests.support.open_kernel import OpenKernel as Kernel
from tests.support.open_kernel import entered_loop
from tests.support.terms import evaluate

G = k.var("G", INT)
B0, B1 = k.bound(0, INT), k.bound(1, INT)
ZERO_REAL = k.num(0, REAL)


def num(n: int) -> Term:
    return k.num(n)


def kernel_for(*code: kc.Instruction, size: Term, requires: tuple[Term, ...] = ()) -> tuple[Kernel, State]:
    """A host function with a global array d of `size` cells."""
    claim = CellClaim(box("d", (size,)), SOME)
    sizes = (k.le(ZERO, size), k.le(ZERO, G), *requires)
    contract = kc.ProcedureContract((), sizes, (claim,), (claim,), ())
    params = (kc.Parameter("G", INT), kc.Parameter("d", REAL, (None,), "GMem"))
    f = kc.Procedure("f", params, contract, code)
    kernel = Kernel(ObligationJudge(Z3Solver()), kc.KernelProgram({"f": f}), LedgerEntries())
    return kernel, kernel.begin("f", ((B0,),))


def launched(*code: kc.Instruction, block: int, grid: Term = G) -> tuple[Kernel, State]:
    start = (kc.LaunchKernel(grid, num(block), num(1024)), kc.Phase("threads"))
    kernel, state = kernel_for(*start, *code, size=k.mul(grid, num(block)))
    return kernel, kernel.phase(kernel.launch(state))


def thread_loop(name: str, extent: Term, *body: kc.Instruction) -> kc.CountedLoop:
    return kc.CountedLoop(k.var(name, INT), ZERO, "<", extent, "+", ONE, body, kc.THREAD)


def store(index: Term) -> kc.StoreCell:
    return kc.StoreCell(kc.CellAddress("d", (index,)), ZERO_REAL)


def rejected(f: Any, *args: Any) -> Cause:
    with pytest.raises(Rejected) as e:
        f(*args)
    return e.value.cause


def own(family: int, extent: Term, index: Term, forward: Term, back: Term) -> Exclusive:
    """Iteration v has one cell."""
    return Exclusive(family, Cells("d", ((ZERO, extent),), TRUE, (index,)), (forward,), (back,), TRUE, ZERO_REAL)


def written_by_each(kernel: Kernel, state: State, loop: kc.CountedLoop, x: Exclusive) -> State:
    """A thread loop of single threads that each write one cell."""
    body = kernel.enter_loop(state, LoopContract((x,), part=ONE))
    (number,) = [n for n in body.held if n not in state.held]
    end = kernel.store(body, number, ())
    return kernel.leave_loop(end, ((),), ())


@pytest.mark.parametrize(
    ("threads", "extent", "part"), [(6, 4, 1), (6, 4, 2), (6, 3, 3), (6, 6, 2), (4, 8, 1), (4, 0, 4)]
)
def test_parts_that_do_not_multiply_to_the_group_are_rejected(threads: int, extent: int, part: int) -> None:
    kernel, state = launched(thread_loop("t", num(extent)), block=threads, grid=ONE)
    assert isinstance(rejected(kernel.enter_loop, state, LoopContract(part=num(part))), UnequalParts)


@pytest.mark.parametrize(("threads", "extent", "part"), [(6, 2, 3), (6, 3, 2), (6, 6, 1), (6, 1, 6)])
def test_parts_that_do_are_accepted(threads: int, extent: int, part: int) -> None:
    kernel, state = launched(thread_loop("t", num(extent)), block=threads, grid=ONE)
    assert kernel.enter_loop(state, LoopContract(part=num(part))).context.threads is num(part)


def test_thread_loops_start_at_zero_and_are_for_threads_only() -> None:
    loop = thread_loop("t", num(5))
    kernel, state = launched(replace(loop, start=ONE), block=4, grid=ONE)
    assert isinstance(rejected(kernel.enter_loop, state, LoopContract(part=ONE)), UnequalParts)
    kernel, state = kernel_for(loop, size=num(4))
    assert isinstance(rejected(kernel.enter_loop, state, LoopContract(part=ONE)), WrongContext)
    parallel = replace(loop, mode=kc.PARALLEL, bound=num(4))
    kernel, state = launched(parallel, block=4, grid=ONE)
    assert isinstance(rejected(kernel.enter_loop, state, LoopContract()), WrongContext)


def test_what_threads_wrote_is_theirs() -> None:
    """After `thread for t < 6: d[5 - t] = 0`, cell c belongs to thread 5 - c, also for a loop of 2 x 3 or 3 x 2 threads."""
    first, second = (thread_loop(n, num(6), store(k.sub(num(5), k.var(n, INT)))) for n in ("t", "u"))
    kernel, state = launched(first, second, block=6, grid=ONE)
    x = own(1, num(6), k.sub(num(5), B0), k.sub(num(5), B0), k.sub(num(5), B0))
    after = written_by_each(kernel, state, first, x)
    owner = after.held[1].owner
    assert owner is not None
    for c in range(6):
        assert evaluate(owner.start, {}, (c,)) == 5 - c and evaluate(owner.size, {}, (c,)) == 1
    written_by_each(kernel, after, second, x)
    other = own(1, num(6), B0, B0, B0)
    assert isinstance(rejected(kernel.enter_loop, after, LoopContract((other,), part=ONE)), NotOwner)
    some = replace(other, whole=False)
    assert isinstance(rejected(kernel.enter_loop, after, LoopContract((some,), part=ONE)), NotOwner)


@pytest.mark.parametrize(("outer", "inner"), [(2, 3), (3, 2), (6, 1), (1, 6)])
def test_regrouped_threads_are_the_same(outer: int, inner: int) -> None:
    """Part v of 6 threads owns inside what its threads own: cells inner * v .. inner * (v + 1), and no others."""
    first = thread_loop("t", num(6), store(k.var("t", INT)))
    second = thread_loop("p", num(outer))
    kernel, state = launched(first, second, block=6, grid=ONE)
    after = written_by_each(kernel, state, first, own(1, num(6), B0, B0, B0))
    row = k.add(k.scale(inner, B1), B0)
    back = (k.fdiv(B0, num(inner)), k.fmod(B0, num(inner)))
    cells = Cells("d", ((ZERO, num(outer)), (ZERO, num(inner))), TRUE, (row,))
    x = Exclusive(1, cells, (row,), back, TRUE, ZERO_REAL, whole=inner == 1)
    body = kernel.enter_loop(after, LoopContract((x,), part=num(inner)))
    (number,) = [n for n in body.held if n not in after.held]
    owner = body.held[number].owner
    assert (owner is None) == (inner == 1)
    if owner is not None:
        v = str(entered_loop(body).v.data)
        for p in range(outer):
            for c in range(inner):
                assert evaluate(owner.start, {v: p}, (c,)) == c
    untrue = replace(x, whole=inner != 1)
    if inner > 1:
        assert isinstance(rejected(kernel.enter_loop, after, LoopContract((untrue,), part=num(inner))), NotOwner)


def test_reads_stay_marked_until_a_barrier() -> None:
    t = k.var("t", INT)
    shifted = k.fmod(k.add(t, ONE), num(6))
    reading = thread_loop("t", num(6), kc.LoadCell(k.var("x", REAL), kc.CellAddress("d", (shifted,))))
    writing = thread_loop("u", num(6), store(k.var("u", INT)))
    kernel, state = launched(reading, kc.Barrier("block"), writing, block=6, grid=ONE)
    body = kernel.enter_loop(state, LoopContract(part=ONE))
    v = entered_loop(body).v
    end = kernel.load(body, 1, (k.fmod(k.add(v, ONE), num(6)),))
    after = kernel.leave_loop(end, (), ())
    (mark,) = after.pending_reads
    read = {(evaluate(mark.cells.index[0], {}, (i,)), evaluate(mark.reader.start, {}, (i,))) for i in range(6)}
    assert read == {((i + 1) % 6, i) for i in range(6)}
    x = own(1, num(6), B0, B0, B0)
    unsynchronised = replace_code(after, after.code[1:])
    assert isinstance(rejected(kernel.enter_loop, unsynchronised, LoopContract((x,), part=ONE)), UnorderedRead)
    synchronised = kernel.barrier(after)
    assert synchronised.pending_reads == ()
    kernel.enter_loop(synchronised, LoopContract((x,), part=ONE))


def replace_code(state: State, code: kc.Instructions) -> State:
    from optigpu.kernel.state import changed

    return changed(state, code=code)


def test_barriers_are_for_whole_blocks_and_warps() -> None:
    for threads, grid, ok in ((6, ONE, True), (6, num(2), False), (6, G, False)):
        kernel, state = launched(kc.Barrier("block"), block=threads, grid=grid)
        if ok:
            kernel.barrier(state)
        else:
            assert isinstance(rejected(kernel.barrier, state), WrongGroup)
    for block, grid, why in ((32, ONE, None), (64, ONE, "level"), (16, num(2), "warp")):
        kernel, state = launched(kc.Barrier("warp"), block=block, grid=grid)
        if why is None:
            kernel.barrier(state)
        else:
            assert rejected(kernel.barrier, state).reason == why


def test_marks_are_only_widened() -> None:
    reading = thread_loop("t", num(6), kc.LoadCell(k.var("x", REAL), kc.CellAddress("d", (k.var("t", INT),))))
    kernel, state = launched(reading, block=6, grid=ONE)
    body = kernel.enter_loop(state, LoopContract(part=ONE))
    after = kernel.leave_loop(kernel.load(body, 1, (entered_loop(body).v,)), (), ())
    whole = PendingRead(1, box("d", (num(6),)), Owner(ZERO, num(6)))
    assert kernel.forget(after, 0, whole, Cover(0, (B0,))).pending_reads == (whole,)
    for wrong in (
        replace(whole, reader=Owner(ZERO, num(5))),
        replace(whole, reader=Owner(ONE, num(6))),
        replace(whole, cells=box("d", (num(5),))),
        replace(whole, family=2),
    ):
        assert isinstance(rejected(kernel.forget, after, 0, wrong, Cover(0, (B0,))), UncoveredRead)
    assert isinstance(rejected(kernel.forget, after, 0, whole, Cover(0, (ZERO,))), UncoveredRead)
    (b,), _ = after.facts.arbitrary(INT)  # what stands for an arbitrary cell: a mark of that cell would cover all
    one = PendingRead(1, Cells("d", (), TRUE, (b,)), Owner(ZERO, num(6)))
    assert isinstance(rejected(kernel.forget, after, 0, one, Cover(0, ())), OutOfOrder)
    assert isinstance(rejected(kernel.forget, after, 0, whole, Cover(0, (b,))), OutOfOrder)
    for number in (1, -1):
        assert isinstance(rejected(kernel.forget, after, 0, whole, Cover(number, (B0,))), UncoveredRead)
    for forward in ((ZERO, B0), (B0, B0), ()):  # ranges would be checked for one binder, and the index taken at another
        for wider in (whole, replace(whole, cells=box("d", (ONE,)))):
            assert isinstance(rejected(kernel.forget, after, 0, wider, Cover(0, forward)), UncoveredRead)


def test_launches_have_limits_and_phases_an_order() -> None:
    for block, shared, ok in (
        (1, 0, True),
        (1024, 227 * 1024, True),
        (0, 0, False),
        (1025, 0, False),
        (32, 227 * 1024 + 1, False),
    ):
        kernel, state = kernel_for(kc.LaunchKernel(G, num(block), num(shared)), size=G)
        if ok:
            kernel.launch(state)
        else:
            assert isinstance(rejected(kernel.launch, state), LaunchLimit)
    for to in ("threads", "teardown", "host"):
        kernel, state = kernel_for(kc.Phase(to), size=G)
        assert isinstance(rejected(kernel.phase, state), WrongContext)
    kernel, state = launched(kc.LaunchKernel(G, ONE, ZERO), block=4)
    assert isinstance(rejected(kernel.launch, state), WrongContext)
    kernel, state = launched(block=4)
    assert isinstance(rejected(kernel.finish, state, (), ()), WrongContext)


def test_contents_are_restated_only_if_equal() -> None:
    kernel, state = kernel_for(size=num(4))
    value = state.held[1].value
    same = kernel.restate(state, 1, k.lt(B0, num(2)), value, ())
    assert same.held[1].value is not value and same.held[1].init is state.held[1].init
    assert isinstance(rejected(kernel.restate, state, 1, TRUE, ZERO_REAL, ()), WrongValue)
    assert kernel.restate(state, 1, k.FALSE, ZERO_REAL, ()).held[1].value.op == "app"


def test_states_of_threads_do_not_leave_what_they_found_out() -> None:
    """A mark on a cell that only the body knows cannot leave it."""
    i, x = k.var("i", INT), k.var("x", REAL)
    body: kc.Instructions = (kc.Invoke(i, "g", ()), kc.LoadCell(x, kc.CellAddress("d", (i,))))
    start = (kc.LaunchKernel(ONE, num(4), ZERO), kc.Phase("threads"), thread_loop("t", num(4), *body))
    result = k.var("_Res", INT)
    bounds = (k.le(ZERO, result), k.lt(result, num(4)))
    g = kc.Procedure("g", (), kc.ProcedureContract((), (), (), (), bounds, result), (), admitted=True, device=True)
    kernel, _ = kernel_for(*start, size=num(4))
    program = kc.KernelProgram({**kernel.program.functions, "g": g})
    kernel = Kernel(ObligationJudge(Z3Solver()), program, LedgerEntries())
    state = kernel.phase(kernel.launch(kernel.begin("f", ((B0,),))))
    inside = kernel.call(kernel.enter_loop(state, LoopContract(part=ONE)), (), (), ())
    value = inside.env[i]
    end = kernel.load(inside, 1, (value,))
    assert isinstance(rejected(kernel.leave_loop, end, (), ()), OutOfOrder)
    wider = PendingRead(1, state.held[1].cells, Owner(ZERO, ONE))
    assert kernel.leave_loop(kernel.forget(end, 0, wider, Cover(0, (value,))), (), ()).pending_reads
