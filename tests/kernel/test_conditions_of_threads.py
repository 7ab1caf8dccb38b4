"""Side conditions of the rules for thread groups, shared memory, shuffles and kernel phases: each rejects a wrong program."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from optigpu.kernel import Rejected
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import (
    EndlessLoop,
    MissingPermission,
    NotOwner,
    SharedMemoryExceeded,
    UnorderedRead,
    WrongContext,
)
from optigpu.kernel.iterations import iterations
from optigpu.kernel.loop_contract import Exclusive, LoopContract
from optigpu.kernel.state import changed
from optigpu.kernel.thread_rules import lane_read
from optigpu.logic import terms as k
from optigpu.logic.cells import Cells, Owner
from optigpu.logic.facts import Facts
from optigpu.logic.judge import ObligationJudge
from optigpu.logic.terms import INT, ONE, REAL, TRUE, ZERO
from optigpu.solver.z3_solver import Z3Solver
from tests.support.kernel_states import (
    B0,
    B1,
    SIX,
    begun,
    each,
    i,
    launched,
    load,
    loop,
    n,
    refused,
    store,
    threads,
    written_by_threads,
)
from tests.support.open_kernel import entered_loop
from tests.support.terms import evaluate

# What groups of threads do together


def test_what_a_group_reads_is_marked_for_all_of_it() -> None:
    writes = threads("t", 6, store(k.var("t", INT)))
    kernel, state = launched(load(ZERO), writes, requires=SIX)
    state = kernel.load(state, 1, (ZERO,))
    assert len(state.pending_reads) == 1
    assert isinstance(refused(kernel.enter_loop, state, LoopContract((each(k.num(6)),), part=ONE)), UnorderedRead)


def test_a_group_may_write_its_registers_together() -> None:
    local = kc.Allocate("x", REAL, (), heap=False)
    kernel, state = launched(local, kc.StoreCell(kc.CellAddress("x", ()), k.num(3, REAL)), requires=SIX)
    state = kernel.allocate(state)
    assert state.bases["x"].space == "TReg"
    kernel.store(state, max(state.held), ())


def test_a_barrier_does_not_move_registers() -> None:
    register = kc.Allocate("p", REAL, (), "TReg", False, True, 4)
    kernel, state = launched(register, kc.Barrier("block"), requires=SIX)
    state = kernel.allocate(state)
    owner = state.held[max(state.held)].owner
    assert owner == Owner(B0, ONE)
    assert kernel.barrier(state).held[max(state.held)].owner == owner


def test_a_barrier_of_one_block_says_nothing_of_what_is_lent_to_all() -> None:
    """Two blocks read a, each with a barrier: what one has read stays marked, since the other may write it."""
    inside = threads("b", 2, load(ZERO), kc.Barrier("block"))
    kernel, state = launched(inside, requires=SIX, grid=k.num(2))
    body = kernel.enter_loop(state, LoopContract(part=k.num(6)))
    body = kernel.barrier(kernel.load(body, 1, (ZERO,)))
    assert len(body.pending_reads) == 1 and body.held[1].owner is None
    assert len(kernel.leave_loop(body, (), ()).pending_reads) == 1


def test_what_is_lent_to_threads_stays_so_in_their_loops() -> None:
    """A thread reads in a loop what all threads were lent: that it may read it alone is no news."""
    t = k.var("t", INT)
    reads = threads("t", 6, loop(load(k.sub(k.num(5), t)), bound=k.num(2)))
    writes = threads("u", 6, store(k.var("u", INT)))
    kernel, state = launched(reads, writes, requires=SIX)
    outer = kernel.enter_loop(state, LoopContract(part=ONE))
    inner = kernel.enter_loop(outer, LoopContract())
    at = k.sub(k.num(5), entered_loop(outer).v)
    after = kernel.leave_loop(kernel.leave_loop(kernel.load(inner, 1, (at,)), (), ()), (), ())
    assert after.pending_reads
    assert isinstance(refused(kernel.enter_loop, after, LoopContract((each(k.num(6)),), part=ONE)), UnorderedRead)


def test_what_threads_wrote_in_a_loop_is_theirs_after_it() -> None:
    """`for v < 2: thread for t < 6: a[6 v + t] = 3`: after it, nobody else has access."""
    t, six = k.var("t", INT), k.num(6)
    place = k.add(k.scale(6, i), t)
    code = loop(threads("t", 6, store(place)), bound=k.num(2))
    kernel, state = launched(code, load(ZERO), requires=(k.eq(n, k.num(12)), k.le(ZERO, k.var("m", INT))))
    row = k.add(k.scale(6, B1), B0)
    rows = Cells("a", ((ZERO, k.num(2)), (ZERO, six)), TRUE, (row,))
    whole = Exclusive(1, rows, (row,), (k.fdiv(B0, six), k.fmod(B0, six)), TRUE, k.num(3, REAL))
    body = kernel.enter_loop(state, LoopContract((whole,)))
    (mine,) = [f for f in body.held if f not in state.held]
    own = Exclusive(mine, rows.under((entered_loop(body).v,)), (B0,), (B0,), TRUE, k.num(3, REAL))
    inner = kernel.enter_loop(body, LoopContract((own,), part=ONE))
    (cell,) = [f for f in inner.held if f not in body.held]
    end = kernel.leave_loop(kernel.store(inner, cell, ()), ((),), ())
    after = kernel.leave_loop(end, ((),), ())
    assert after.held[1].owner is not None
    assert isinstance(refused(kernel.load, after, 1, (ZERO,)), NotOwner)


# Shared memory that is used again

SHARED = kc.Allocate("s", REAL, (k.num(6),), "SMem", False, False, 4)
SHARED_AGAIN = replace(SHARED, base="r")


@pytest.mark.parametrize("used", ["not at all", "written", "read"])
@pytest.mark.parametrize("barrier", [True, False])
def test_shared_memory_is_used_again_when_nobody_uses_it(used: str, barrier: bool) -> None:
    """A block has room for one array. It is free after its scope only if no thread may still be using it."""
    writes = threads("t", 6, store(k.var("t", INT), base="s"))
    middle = (kc.Barrier("block"),) if barrier else ()
    work: kc.Instructions = () if used == "not at all" else (writes,)
    if used == "read":
        work = (writes, kc.Barrier("block"), load(ZERO, "s"))
    code = (SHARED, *work, kc.Release("s", False), *middle, SHARED_AGAIN)
    kernel, state = launched(*code, requires=SIX, shared=24)
    state = kernel.allocate(state)
    s = max(state.held)
    if work:
        body = kernel.enter_loop(state, LoopContract((each(k.num(6), family=s, base="s"),), part=ONE))
        (number,) = [f for f in body.held if f not in state.held]
        state = kernel.leave_loop(kernel.store(body, number, ()), ((),), ())
    if used == "read":
        state = kernel.load(kernel.barrier(state), s, (ZERO,))
    state = kernel.free(state, s, (B0,))
    state = kernel.barrier(state) if barrier else state
    if barrier or used == "not at all":
        kernel.allocate(state)
    else:
        assert isinstance(refused(kernel.allocate, state), SharedMemoryExceeded)


# Shuffles


def test_lanes_are_those_of_the_manual() -> None:
    """A lane outside of the warp gives one's own."""
    for op, amount in product(("shfl_down", "shfl_up", "shfl_xor", "shfl"), range(32)):
        for argument in (k.num(amount), k.var("m", INT)):
            term = lane_read(op, B0, argument)
            for lane in range(32):
                other = {
                    "shfl_down": lane + amount,
                    "shfl_up": lane - amount,
                    "shfl_xor": lane ^ amount,
                    "shfl": amount,
                }[op]
                assert evaluate(term, {"m": amount}, (lane,)) == (other if 0 <= other < 32 else lane), (
                    op,
                    amount,
                    lane,
                )
    with pytest.raises(Rejected):
        lane_read("shfl_left", B0, ONE)


# Iterations


def test_iterations_of_small_loops_are_those_of_c() -> None:
    start, bound, amount = (k.var(name, INT) for name in ("s", "b", "d"))
    for up, equal, step in product((True, False), (True, False), (1, 2, 3)):
        relation = ("<" if up else ">") + ("=" if equal else "")
        counting = kc.CountedLoop(i, start, relation, bound, "+" if up else "-", amount, ())
        for argument in (k.num(step), amount):
            range_ = iterations(counting, start, bound, argument)
            for s, b in product(range(-3, 4), range(-3, 4)):
                env = {"s": s, "b": b, "d": step}
                expected = list(range(s, b + equal, step) if up else range(s, b - equal, -step))
                low, high = evaluate(range_.low, env), evaluate(range_.high, env)
                assert [evaluate(range_.index, env, (v,)) for v in range(low, high)] == expected


def test_negative_numbers_are_not_divided() -> None:
    """C rounds towards zero: -7 / 2 is -3, and 7 / -2 is -3."""
    for start, relation, bound, amount, ok in ((7, ">", 1, 2, True), (-7, "<", -1, 2, False), (7, ">", -4, -2, False)):
        kernel, state = begun(kc.CountedLoop(i, k.num(start), relation, k.num(bound), "/", k.num(amount), ()))
        if ok:
            assert [instr.value.data for instr in kernel.unroll(state).code if isinstance(instr, kc.Bind)] == [7, 3]
        else:
            assert isinstance(refused(kernel.unroll, state), EndlessLoop)


# Obligations


def test_nothing_is_proved_of_a_loose_index() -> None:
    """It stands for nothing; that its square is not negative would be a fact about whatever it is taken for."""
    judge = ObligationJudge(Z3Solver())
    assert not judge.proves(Facts(), k.le(ZERO, k.mul(B0, B0)))
    assert judge.proves(Facts(), k.le(ZERO, k.mul(n, n)))
    assert judge.proves(Facts(), k.forall((n,), k.le(ZERO, k.mul(n, n))))


def test_signs_of_functions_and_sums() -> None:
    judge, zero = ObligationJudge(Z3Solver()), k.num(0, REAL)
    y = k.var("y", REAL)
    exp, sqrt, other = (k.function_var(name, k.fun_sort((REAL,), REAL)) for name in ("exp", "sqrt", "sin"))
    a = k.var("A", k.fun_sort((INT,), REAL))
    assert judge.proves(Facts(), k.lt(zero, k.app(exp, y)))
    assert not judge.proves(Facts(), k.lt(zero, k.app(sqrt, y)))
    assert judge.proves(Facts().assume(k.lt(zero, y)), k.le(zero, k.app(sqrt, y)))
    assert not judge.proves(Facts().assume(k.lt(zero, y)), k.le(zero, k.app(other, y)))
    assert not judge.proves(Facts().assume(k.lt(zero, y)), k.lt(zero, k.app(other, y)))
    exps = k.big("sum", ZERO, n, k.app(exp, k.app(a, B0)))
    assert judge.proves(Facts(), k.le(zero, exps))
    assert not judge.proves(Facts(), k.lt(zero, exps))  # there may be none
    assert judge.proves(Facts().assume(k.lt(ZERO, n)), k.lt(zero, exps))
    square = k.big("sum", ZERO, n, k.to_real(k.mul(B0, B0)))
    assert not judge.proves(Facts().assume(k.lt(ZERO, n)), k.lt(zero, square))  # 0 for n = 1
    assert not judge.proves(Facts(), k.le(zero, k.big("sum", ZERO, n, k.app(a, B0))))
    first = k.big("sum", ONE, n, B0)
    assert not judge.proves(Facts(), k.lt(ZERO, first)) and judge.proves(
        Facts().assume(k.lt(ONE, n)), k.lt(ZERO, first)
    )
    later = k.big("sum", ZERO, n, k.mul(B0, B0))
    assert judge.proves(Facts(), k.le(ZERO, later)) and not judge.proves(
        Facts().assume(k.lt(ZERO, n)), k.lt(ZERO, later)
    )


# Phases of a kernel


@pytest.mark.parametrize("done", range(3))
def test_phases_come_in_order(done: int) -> None:
    order = ("threads", "teardown", "host")
    for to in order:
        code = (kc.LaunchKernel(ONE, k.num(6), ZERO), *(kc.Phase(p) for p in order[:done]), kc.Phase(to))
        kernel, state = begun(*code, space="GMem")
        state = kernel.launch(state)
        for _ in range(done):
            state = kernel.phase(state)
        if to == order[done]:
            kernel.phase(state)
        else:
            assert isinstance(refused(kernel.phase, state), WrongContext)


def test_cells_of_an_iteration_keep_their_owners() -> None:
    """`for v < 2` of six threads takes a[3 v + j]: that cell is thread 3 v + j's, inside and afterwards."""
    three = k.num(3)
    second_loop = kc.CountedLoop(k.var("w", INT), ZERO, "<", k.num(2), "+", ONE, (load(ZERO),))
    kernel, state = launched(threads("t", 6, store(k.var("t", INT))), second_loop, requires=SIX)
    state = written_by_threads(kernel, state)
    row = k.add(k.scale(3, B1), B0)
    cells = Cells("a", ((ZERO, k.num(2)), (ZERO, three)), TRUE, (row,))
    back = (k.fdiv(B0, three), k.fmod(B0, three))
    body = kernel.enter_loop(state, LoopContract((Exclusive(1, cells, (row,), back, TRUE, None),)))
    (number,) = [f for f in body.held if f not in state.held]
    owner, v = body.held[number].owner, str(entered_loop(body).v.data)
    assert owner is not None
    for at, j in product(range(2), range(3)):
        assert (evaluate(owner.start, {v: at}, (j,)), evaluate(owner.size, {v: at}, (j,))) == (3 * at + j, 1)
    assert isinstance(refused(kernel.load, body, number, (ZERO,)), NotOwner | MissingPermission)
    after = kernel.leave_loop(changed(body, code=()), ((),), ())
    for same in (after, kernel.tidy(after, 1)):
        owner = same.held[1].owner
        assert owner is not None
        for c in range(6):
            assert (evaluate(owner.start, {"n": 6}, (c,)), evaluate(owner.size, {"n": 6}, (c,))) == (c, 1)


def test_a_kernel_does_not_end_in_a_loop_that_it_is_around() -> None:
    """Unrolled once, its phases would be in order; but the loop is in the kernel, and its end in the loop."""
    ends = (kc.Phase("teardown"), kc.Phase("host"))
    kernel, state = launched(loop(*ends, bound=ONE))
    assert isinstance(refused(kernel.unroll, state), WrongContext)
    whole = (kc.LaunchKernel(ONE, k.num(6), ZERO), kc.Phase("threads"), *ends)
    kernel, state = begun(loop(*whole, bound=k.num(2)), space="GMem")
    assert len(kernel.unroll(state).code) == 10
    kernel, state = begun(loop(*whole[:-1], bound=ONE), space="GMem")
    assert isinstance(refused(kernel.unroll, state), WrongContext)


def test_the_body_of_a_thread_loop_ends_in_its_own_context() -> None:
    kernel, state = launched(threads("t", 6), requires=SIX)
    body = kernel.enter_loop(state, LoopContract(part=ONE))
    kernel.leave_loop(body, (), ())
    for context in (
        replace(body.context, threads=k.num(2)),
        replace(body.context, block=ONE),
        replace(body.context, kind="teardown"),
    ):
        assert isinstance(refused(kernel.leave_loop, changed(body, context=context), (), ()), WrongContext)


def test_a_positive_first_summand_counts_if_there_is_one() -> None:
    judge, only = ObligationJudge(Z3Solver()), k.big("sum", ZERO, n, k.ite(k.eq(B0, ZERO), ONE, ZERO))
    assert judge.proves(Facts().assume(k.lt(ZERO, n)), k.lt(ZERO, only))
    assert not judge.proves(Facts(), k.lt(ZERO, only))


def test_a_loose_index_is_no_fact() -> None:
    with pytest.raises(TypeError):
        Facts().assume(k.le(ZERO, n), k.le(ZERO, B0))
