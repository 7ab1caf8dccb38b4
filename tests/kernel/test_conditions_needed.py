"""For single side conditions: arguments that only this one refuses, beside ones that are accepted.

The long run tests/evidence/kernel_mutants.py says for which conditions they are needed.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from optigpu.kernel import Judge as SealedJudge
from optigpu.kernel import Rejected, State
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import (
    BrokenInvariant,
    EndlessLoop,
    Leak,
    MissingPermission,
    NotOwner,
    OutOfOrder,
    Overflow,
    Overlap,
    SharedMemoryExceeded,
    UnorderedRead,
    UnprovedFact,
    WrongContext,
    WrongGroup,
    WrongShape,
    WrongSpace,
)
from optigpu.kernel.context import PendingRead
from optigpu.kernel.iterations import iterations
from optigpu.kernel.loop_contract import Exclusive, Invariant, LoopContract
from optigpu.kernel.sealed import SealedFacts
from optigpu.kernel.side_conditions import Take
from optigpu.kernel.state import changed
from optigpu.kernel.thread_rules import lane_read
from optigpu.logic import terms as k
from optigpu.logic.bounds import bounds_from
from optigpu.logic.cells import FULL, KNOWN, READ, SOME, CellClaim, Cells, Owner, box
from optigpu.logic.equality import Case, maximum_parts, scaled_maximum_parts
from optigpu.logic.facts import Facts, Guide
from optigpu.logic.judge import ObligationJudge
from optigpu.logic.names import Name, Origin
from optigpu.logic.terms import INT, ONE, REAL, TRUE, ZERO, Term
from optigpu.logic.terms.core import interned
from optigpu.search.advice import SearchGuide
from optigpu.solver.z3_solver import Z3Solver
from tests.support.kernel_states import (
    B0,
    B1,
    ID,
    KNOWN_A,
    SIX,
    SIZES,
    VIEWS,
    WHOLE,
    A,
    begun,
    callee,
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
)
from tests.support.open_kernel import OpenKernel as Kernel
from tests.support.open_kernel import entered_loop
from tests.support.terms import evaluate

SIZE = k.var("k", INT)

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


def claim(owner: Owner | None = None, share: str = FULL) -> CellClaim:
    return CellClaim(box("y", (SIZE,)), SOME, None, share, owner)


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
        for given in (k.num(amount), k.var("m", INT)):
            term = lane_read(op, B0, given)
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
        for given in (k.num(step), amount):
            range_ = iterations(counting, start, bound, given)
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
    again = kc.CountedLoop(k.var("w", INT), ZERO, "<", k.num(2), "+", ONE, (load(ZERO),))
    kernel, state = launched(threads("t", 6, store(k.var("t", INT))), again, requires=SIX)
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


# Machine integers, and what lies in memory

WIDTH = (-8, 7)
NUMBERS = kc.Parameter("q", INT, (n,), limits=WIDTH)
HELD_Q = CellClaim(box("q", (n,)), SOME)


def test_what_overflows_is_assumed_to_fit_only_where_the_program_says_so() -> None:
    for unbounded in (False, True):
        kernel, state = begun(
            kc.Oblige(k.lt(n, ZERO), kc.Obligation.OVERFLOW, at=7),
            kc.Oblige(k.le(ZERO, n), kc.Obligation.OVERFLOW, at=8),
            pre=(),
        )
        kernel = kernel.of_program(replace(kernel.program, unbounded=unbounded))
        if unbounded:
            assert kernel.oblige(state).facts.proves(k.lt(n, ZERO))
            assert kernel.ledger.unbounded == {7}
        else:
            assert refused(kernel.oblige, state).reason == "overflow"
    kernel, state = begun(kc.Oblige(k.lt(n, ZERO), kc.Obligation.DIVISION, at=7), pre=())
    kernel = kernel.of_program(replace(kernel.program, unbounded=True))
    assert refused(kernel.oblige, state).reason == "division"  # no number is assumed to be another one
    kernel, state = begun(kc.Oblige(k.le(ZERO, n), kc.Obligation.OVERFLOW, at=8), pre=())
    kernel = kernel.of_program(replace(kernel.program, unbounded=True))
    kernel.oblige(state)
    assert kernel.ledger.unbounded == set()  # what is shown is not assumed


@pytest.mark.parametrize(("value", "fits"), [(0, True), (255, True), (256, False), (-1, False)])
def test_a_store_is_of_a_number_of_the_element_type(value: int, fits: bool) -> None:
    store_it = kc.StoreCell(kc.CellAddress("q", (ZERO,)), k.num(value))
    numbers = kc.Parameter("q", INT, (n,), limits=(0, 255))
    claim = CellClaim(box("q", (n,)), SOME)
    kernel, state = begun(store_it, pre=(claim,), requires=(k.lt(ZERO, n),), params=(numbers,))
    if fits:
        assert kernel.store(state, 1, (ZERO,)).next is None
    else:
        cause = refused(kernel.store, state, 1, (ZERO,))
        assert isinstance(cause, Overflow) and cause.limits == (0, 255)


def test_the_product_of_two_sizes_is_bounded_where_they_are_not_negative() -> None:
    matrix = kc.Parameter("q", INT, (n, m), bytes=4)
    bound = k.le(k.mul(k.num(4), n, m), k.num(1 << 47))
    for requires, known in ((SIZES, True), ((k.le(ZERO, n),), False), ((), False)):
        kernel = kernel_of(pre=(CellClaim(box("q", (n, m)), SOME),), requires=requires, params=(matrix,))
        state = kernel.begin("f", ((B1, B0),))
        assert kernel.judge.proves(state.facts, bound) == known


@pytest.mark.parametrize(("space", "known"), [("GMem", True), ("SMem", False), ("TReg", False)])
def test_shared_arrays_of_all_blocks_need_not_fit_into_memory(space: str, known: bool) -> None:
    """There is one for each block, and not all blocks are there at one time."""
    array = kc.Parameter("q", INT, (n,), space, bytes=4)
    kernel = kernel_of(pre=(HELD_Q,), params=(array,), device=True, space=space)
    state = kernel.begin("f", ((B0,),))
    assert kernel.judge.proves(state.facts, k.le(k.mul(k.num(4), n), k.num(1 << 47))) == known


def test_of_what_is_not_held_no_limits_are_known() -> None:
    contents, even = k.var("Q", k.fun_sort((INT,), INT)), k.eq(k.fmod(B0, k.num(2)), ZERO)
    held = CellClaim(replace(box("q", (n,)), where=even), KNOWN, k.app(contents, B0))
    kernel = kernel_of(pre=(held,), params=(NUMBERS,), requires=(k.eq(n, k.num(4)), k.le(ZERO, m)))
    kernel.judge.root = Facts(SearchGuide())
    state = kernel.begin("f", ((B0,),))
    for at, known in ((2, True), (1, False), (6, False)):
        assert kernel.judge.proves(state.facts, k.le(k.app(contents, k.num(at)), k.num(7))) == known


def test_an_array_is_passed_for_one_with_elements_of_the_same_type() -> None:
    size = k.var("k", INT)
    claim = CellClaim(box("y", (size,)), SOME)
    for limits, accepted in ((WIDTH, True), (None, False), ((-8, 8), False), ((0, 7), False)):
        wanted = kc.Parameter("y", INT, (size,), limits=limits)
        g = callee(
            params=(kc.Parameter("k", INT), wanted), contract=kc.ProcedureContract((), (), (claim,), (claim,), ())
        )
        call = kc.Invoke(None, "g", (n, kc.ArrayView("q", (), ZERO)))
        kernel, state = begun(call, pre=(HELD_Q,), params=(NUMBERS,), others=(g,))
        if accepted:
            kernel.call(state, (), (ID,), ())
        else:
            assert isinstance(refused(kernel.call, state, (), (ID,), ()), WrongShape)


# Lemmas, and theorems of other programs


def test_only_a_lemma_without_memory_is_used_in_a_kernel() -> None:
    nothing = kc.ProcedureContract((), (), (), (), ())
    size = kc.Parameter("k", INT)
    for lemma, params, accepted in ((True, (), True), (False, (), False), (True, (size,), False)):
        g = kc.Procedure("g", params, nothing, (), admitted=True, lemma=lemma)
        kernel, state = launched(kc.Invoke(None, "g", (n,) * len(params)), requires=SIX, others=(g,))
        if accepted:
            kernel.call(state, (), (), ())
        else:
            assert isinstance(refused(kernel.call, state, (), (), ()), WrongContext)


def test_a_theorem_is_one_of_its_axioms() -> None:
    untrue = (("wrong", k.FALSE),)
    kernel = kernel_of(pre=(), ensures=(k.FALSE,))
    kernel = kernel.of_program(replace(kernel.program, axioms=untrue))
    theorem = kernel.finish(kernel.begin("f", ()), (), ((),))
    other = kernel_of(pre=(), ensures=(k.FALSE,))
    with pytest.raises(ValueError, match="another program"):
        other.recall(theorem)
    other = other.of_program(replace(other.program, axioms=untrue))
    assert other.recall(theorem) == theorem


def test_a_record_is_no_other_tuple_of_the_same_things() -> None:
    place = kc.CellAddress("a", (n,))
    assert place == kc.CellAddress("a", (n,)) and place != kc.CellAddress("a", (m,))
    assert place != ("a", (n,)) and ("a", (n,)) != place
    assert kc.ArrayView("a", (), ZERO) != kc.LoadCell("a", (), ZERO)  # type: ignore[arg-type]


# Invariants and laws


def test_a_law_is_a_statement() -> None:
    kernel, state = begun(loop())
    refused(kernel.enter_loop, state, LoopContract((), (Invariant(1, TRUE, None, law=ZERO),)))
    kernel.enter_loop(state, LoopContract((), (Invariant(1, TRUE, None, law=TRUE),)))


def cell(name: str, where: Term = TRUE) -> Cells:
    return Cells(name, (), where, ())


def at_the_end(*invariants: Invariant) -> tuple[Kernel, State]:
    """The end of the body of a loop that has stored 3 into p and 4 into q."""
    names = ("p", "q")[: len(invariants)]
    params = tuple(kc.Parameter(name, INT, ()) for name in names)
    stores = tuple(kc.StoreCell(kc.CellAddress(name, ()), k.num(3 + c)) for c, name in enumerate(names))
    kernel = kernel_of(loop(*stores), pre=tuple(CellClaim(cell(name), SOME) for name in names), params=params)
    state = kernel.begin("f", ((),) * len(names))
    end = kernel.enter_loop(state, LoopContract((), invariants, (k.le(B0, n),)))
    for number in range(1, len(names) + 1):
        end = kernel.store(end, number, ())
    return kernel, end


def test_contents_that_an_invariant_does_not_tell_are_not_equal_to_others() -> None:
    both = (Invariant(1, TRUE, None), Invariant(2, TRUE, None))
    kernel, end = at_the_end(*both)
    contract = replace(entered_loop(end).contract, facts=(k.lt(B0, ZERO),))
    wrong = changed(end, block=replace(end.block, opened_by=replace(entered_loop(end), contract=contract)))
    assert isinstance(refused(kernel.leave_loop, wrong, (), ((), ())), BrokenInvariant)
    kernel.leave_loop(end, (), ((), ()))


@pytest.mark.parametrize("which", ["where", "init", "ranges"])
def test_what_an_invariant_tells_of_a_cell_is_known_where_it_holds_something(which: str) -> None:
    """It says that p holds 5, of no cell or of one that holds nothing: that is not known then."""
    said = Invariant(1, k.FALSE if which == "init" else TRUE, k.num(5))
    none = which == "ranges"
    param = kc.Parameter("p", INT, (ZERO,) if none else ())
    held = box("p", (ZERO,)) if none else cell("p", k.lt(n, ZERO) if which == "where" else TRUE)
    kernel = kernel_of(loop(), pre=(CellClaim(held, SOME),), params=(param,))
    state = kernel.begin("f", ((B0,) if none else (),))
    state = changed(state, held={1: replace(state.held[1], value=k.num(3))})
    end = kernel.enter_loop(state, LoopContract((), (said,), (k.le(B0, n),)))
    end = changed(end, held={1: replace(end.held[1], value=k.num(3))})
    contract = replace(entered_loop(end).contract, facts=(k.lt(B0, ZERO),))
    wrong = changed(end, block=replace(end.block, opened_by=replace(entered_loop(end), contract=contract)))
    assert isinstance(refused(kernel.leave_loop, wrong, (), ((),)), BrokenInvariant)


# Two families as one

LEFT, RIGHT = Cells("a", ((ZERO, m),), TRUE, (B0,)), Cells("a", ((m, n),), TRUE, (B0,))
BOTH = (Take(1, (B0,), (B0,)), Take(2, (B0,), (B0,)))
FIRST = k.lt(B0, m)


def two_parts(share: str = FULL) -> tuple[Kernel, State]:
    claims = (CellClaim(LEFT, SOME, None, share), CellClaim(RIGHT, SOME))
    return begun(pre=claims, requires=(*SIZES, k.le(m, n)))


def test_gathered_cells_are_those_of_both() -> None:
    kernel, state = two_parts()
    after = kernel.gather(state, WHOLE, FIRST, BOTH)
    assert [r.cells for r in after.held.values()] == [WHOLE]
    for cells, test in (
        (box("a", (k.add(n, ONE),)), FIRST),
        (WHOLE, TRUE),
        (WHOLE, k.le(B0, m)),
        (WHOLE, k.not_(FIRST)),
    ):
        assert isinstance(refused(kernel.gather, state, cells, test, BOTH), MissingPermission | Overlap)
    assert isinstance(refused(kernel.gather, state, WHOLE, FIRST, (BOTH[0], BOTH[0])), MissingPermission)
    for takes in (BOTH[:1], (*BOTH, BOTH[0])):
        with pytest.raises((Rejected, ValueError)):
            kernel.gather(state, WHOLE, FIRST, takes)


def test_gathered_cells_are_said_with_names_that_exist() -> None:
    kernel, state = two_parts()
    (b,), _ = state.facts.arbitrary(INT)
    for stranger in (b, k.rule_var("a", state.counter, INT)):
        named = k.le(stranger, B0)
        for cells, test, takes in (
            (replace(WHOLE, where=named), FIRST, BOTH),
            (WHOLE, k.or_(FIRST, named), BOTH),
            (WHOLE, FIRST, (Take(1, (stranger,), (B0,)), BOTH[1])),
        ):
            assert isinstance(refused(kernel.gather, state, cells, test, takes), OutOfOrder)


def test_what_decides_between_two_families_is_about_their_binders() -> None:
    kernel, state = two_parts()
    assert isinstance(refused(kernel.gather, state, WHOLE, k.or_(FIRST, k.lt(B1, ZERO)), BOTH), WrongShape)


def test_what_is_gathered_is_held_in_full_and_by_everyone() -> None:
    kernel, state = two_parts(READ)
    assert isinstance(refused(kernel.gather, state, WHOLE, FIRST, BOTH), MissingPermission)
    kernel, state = two_parts()
    owned = changed(state, held={**state.held, 2: replace(state.held[2], owner=Owner(ZERO, ONE))})
    assert isinstance(refused(kernel.gather, owned, WHOLE, FIRST, BOTH), NotOwner)
    read = changed(state, pending_reads=(PendingRead(2, RIGHT, Owner(ZERO, ONE)),))
    assert isinstance(refused(kernel.gather, read, WHOLE, FIRST, BOTH), NotOwner)


# Products


def test_only_what_is_not_negative_is_multiplied() -> None:
    """n * m >= 0 of n >= 0 and m >= 0, whatever the guide says of others."""

    class Eager(Guide):
        def products(self, facts: Facts, goal: Term) -> list[tuple[Term, Term]]:
            return [(n, m), (m, n), (n, n), (k.neg(n), n), (k.bound(0, INT), n)]

    goal = k.le(ZERO, k.mul(n, m))
    for signs, follows in ((SIZES, True), (SIZES[:1], False), (SIZES[1:], False), ((), False)):
        judge = ObligationJudge(root=Facts(Eager()))
        assert judge.proves(judge.root.assume(*signs), goal) == follows
    judge = ObligationJudge(root=Facts(Eager()))
    assert not judge.proves(judge.root.assume(k.le(ONE, n)), k.le(k.mul(n, n), ZERO))


def test_a_maximum_is_scaled_by_what_is_not_negative() -> None:
    most, judge = k.max_(n, m), ObligationJudge()
    for factor, signs, split in (
        (k.num(2), (), True),
        (k.num(-1), (), False),
        (SIZE, (), False),
        (SIZE, (k.le(ZERO, SIZE),), True),
    ):
        t = k.add(k.mul(factor, most), ONE)
        found = scaled_maximum_parts(judge, judge.root.assume(*signs), t)
        assert len(found) == (2 if split else 1)
        if not split:
            assert found == maximum_parts(t)
    loose = k.add(most, B0)  # what is added would be another binder's
    assert scaled_maximum_parts(judge, judge.root, loose) == maximum_parts(loose)


def test_registers_that_are_shuffled_have_one_type() -> None:
    shuffle = kc.Shuffle("shfl_down", *VIEWS, ONE)
    maps = (2, (B0,), 3, (B0,), (B0,))
    kernel, state = shuffling(shuffle)
    kernel.shuffle(state, *maps)
    narrow = {name: replace(b, limits=WIDTH) if name == shuffle.target.base else b for name, b in state.bases.items()}
    assert isinstance(refused(kernel.shuffle, changed(state, bases=narrow), *maps), WrongShape)


def test_a_quotient_is_bounded_by_what_is_divided_if_both_are_known_not_to_be_negative() -> None:
    d, power = SIZE, k.pow2(SIZE)
    positive = (k.le(ONE, d),)
    assert Facts().assume(*positive, k.le(ZERO, n)).proves(k.le(k.fdiv(n, d), n))
    assert not Facts().assume(*positive).proves(k.le(k.fdiv(n, d), n))  # -5 div 2 is -3
    assert Facts().assume(k.le(ZERO, d)).proves(k.le(k.mul(power, k.fdiv(n, power)), n))
    assert not Facts().proves(k.le(k.mul(power, k.fdiv(n, power)), n))  # 2^k is a positive number for k >= 0


class Lookalike:
    """Equal to whatever it is compared with."""

    def __init__(self, of: object) -> None:
        self.of = of

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash(self.of)


def test_terms_are_made_of_terms_numbers_and_sorts() -> None:
    for monomial, c in (((n,), Lookalike(7)), ((Lookalike(n),), 7), ((n, Lookalike(m)), 7)):
        with pytest.raises(TypeError):
            interned("poly", (), INT, ((monomial, c), ((), 1)))
    with pytest.raises(TypeError):
        interned("var", (), Lookalike(INT), Name(Origin.PROGRAM, "another", 1))  # type: ignore[arg-type]


class Turning:
    """One pair when it is looked at first, another one later."""

    def __init__(self) -> None:
        self.asked = 0

    def __iter__(self) -> Any:
        self.asked += 1
        return iter((ONE, ONE) if self.asked == 1 else (n, ONE))

    def __len__(self) -> int:
        return 2


@pytest.mark.parametrize(
    "pair", [Turning(), (ONE, ONE, n), (n,), [ONE, ONE], ("n", ONE)], ids=["turning", "three", "one", "list", "name"]
)
def test_what_is_multiplied_is_a_pair_of_terms(pair: Any) -> None:
    class Liar(Guide):
        def products(self, facts: Facts, goal: Term) -> Any:
            return [pair]

    judge = ObligationJudge(root=Facts(Liar()))
    with pytest.raises(TypeError):
        judge.proves(judge.root, k.le(ZERO, n))


def test_advice_is_given_about_facts_as_others_see_them() -> None:
    """Whoever has the facts themselves could write answers into them."""
    seen: list[Any] = []

    class Curious(Guide):
        def refutes(self, facts: Facts, p: Term) -> bool:
            seen.append(facts)
            return False

        def bounds(self, facts: Facts, summand: Term, above: bool) -> list[int]:
            seen.append(facts)
            return [5]

        def products(self, facts: Facts, goal: Term) -> list[tuple[Term, Term]]:
            seen.append(facts)
            return []

    judge = SealedJudge(Z3Solver(), Curious())
    values = k.var("f", k.fun_sort((INT,), INT))
    judge.proves(judge.root, k.le(ZERO, k.add(k.big("sum", ZERO, n, k.app(values, B0)), k.num(5))))
    assert len(seen) > 3 and {type(facts) for facts in seen} == {SealedFacts}


def test_terms_are_of_the_sort_they_say() -> None:
    half = Fraction(1, 2)
    r = k.var("r", REAL)

    class Other(tuple):  # type: ignore[type-arg]
        pass

    for sort, monomial, c in (
        (INT, (n,), half), (INT, (r,), 2), (REAL, (n,), half), (INT, [n], 2), (INT, Other((n,)), 2), (REAL, (r,), Lookalike(7)),
    ):  # fmt: skip
        with pytest.raises(TypeError):
            interned("poly", (), sort, ((monomial, c), ((), 1)))
    with pytest.raises(TypeError):
        k.scale(half, n)
    with pytest.raises(TypeError):
        k.var(5, INT)  # type: ignore[arg-type]


def test_results_are_remembered_of_terms_alone() -> None:
    """Something that is equal to terms would have its result found in their place."""

    class Other(tuple):  # type: ignore[type-arg]
        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return hash((m,))

    body = k.eq(k.app(A, B0), k.num(0, REAL))
    for function in (k.instantiate, k.abstract):
        for args in (Other((n,)), [n], (Lookalike(n),)):
            with pytest.raises(TypeError):
                function(body, args)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            function(Lookalike(body), (n,))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        bounds_from(Lookalike(n))  # type: ignore[arg-type]
    assert type(bounds_from(k.sub(n, m))) is tuple  # nobody adds to what is remembered


def test_bounds_of_summands_are_shown() -> None:
    """A sum of n numbers that somebody says are at most 0."""

    class Liar(Guide):
        def bounds(self, facts: Facts, summand: Term, above: bool) -> list[int]:
            return [0]

    judge = ObligationJudge(Z3Solver(), Facts(Liar()))
    values = k.var("q", k.fun_sort((INT,), INT))
    total = k.big("sum", ZERO, n, k.app(values, B0))
    facts = judge.root.assume(k.le(ZERO, n))
    assert not judge.proves(facts, k.le(total, ZERO)) and not judge.proves(facts, k.le(ZERO, total))
