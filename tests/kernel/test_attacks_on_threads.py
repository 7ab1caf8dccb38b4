"""Attacks on the rules for threads, kernels and calls through their arguments, as a forged certificate could contain them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from optigpu.kernel import Rejected
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import (
    LaunchLimit,
    LeftInKernel,
    MissingPermission,
    NotOwner,
    OutOfOrder,
    ShuffleOutsideWarp,
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
)
from optigpu.kernel.context import GROUP_SIZE, PendingRead
from optigpu.kernel.ledger import LedgerEntries
from optigpu.kernel.loop_contract import Cover, Invariant, LoopContract
from optigpu.kernel.side_conditions import Take
from optigpu.kernel.state import changed
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, KNOWN, READ, SOME, CellClaim, Cells, Owner, box
from optigpu.logic.terms import INT, ONE, REAL, TRUE, ZERO
from tests.support.kernel_states import (
    B0,
    ID,
    REGISTERS,
    SIX,
    SIZES,
    VIEW,
    VIEWS,
    WHOLE,
    begun,
    callee,
    calling,
    each,
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
from tests.support.open_kernel import entered_loop
from tests.support.undefined_names import strangers

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
    kernel, state = launched(loop(mode=kc.PARALLEL), requires=SIX)
    assert isinstance(refused(kernel.enter_loop, state, LoopContract(part=ONE)), WrongContext)
    for mode in (kc.SEQUENTIAL, kc.PARALLEL, kc.THREAD, kc.MAGIC_THREAD):
        kernel, state = begun(kc.LaunchKernel(ONE, ONE, ZERO), loop(mode=mode))
        assert isinstance(refused(kernel.enter_loop, kernel.launch(state), LoopContract(part=ONE)), WrongContext)


def test_owners_and_marks_of_invariants() -> None:
    """A loop of the whole group starts from what its threads own and have read, not from less."""
    writes, reads = threads("t", 6, store(k.var("t", INT))), threads("u", 6, load(k.sub(k.num(5), k.var("u", INT))))
    other_loop = loop(bound=m)
    kernel, state = launched(writes, other_loop, requires=SIX)
    state = written_by_threads(kernel, state)
    mine = Owner(B0, ONE)
    kept = Invariant(1, TRUE, None)
    assert isinstance(refused(kernel.enter_loop, state, LoopContract((), (kept,))), NotOwner)
    assert isinstance(
        refused(kernel.enter_loop, state, LoopContract((), (replace(kept, owner=Owner(ZERO, k.num(2))),))), NotOwner
    )
    kernel.enter_loop(state, LoopContract((), (replace(kept, owner=mine),)))
    kernel, state = launched(reads, other_loop, requires=SIX)
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


def owned(owner: Owner | None, share: int = FULL) -> kc.GhostStep:
    """A proof step: these threads own the cells of a."""
    return kc.GhostStep("", (), (replace(CellClaim(WHOLE, SOME), share=share, owner=owner),), (), ())


def test_proof_steps_claim_cells_for_the_threads_that_own_them() -> None:
    """Thread t of six has written a[t]. GROUP_SIZE is the number of threads that execute the step."""
    writes = threads("t", 6, store(k.var("t", INT)))
    part = k.fdiv(GROUP_SIZE, k.num(3))
    right = (Owner(B0, ONE), Owner(B0, k.fdiv(GROUP_SIZE, k.num(6))))
    wrong = (
        None,  # the whole group
        Owner(ZERO, ONE),
        Owner(k.sub(k.num(5), B0), ONE),
        Owner(B0, k.num(2)),
        Owner(B0, ZERO),  # nobody
        Owner(B0, k.num(-1)),
        Owner(k.mul(k.fdiv(B0, k.num(2)), part), part),  # three parts of two threads
    )
    for share in (FULL, READ):
        for owner in right:
            kernel, state = launched(writes, owned(owner, share), requires=SIX)
            kernel.ghost(written_by_threads(kernel, state), (ID,), ())
        for other in wrong:
            kernel, state = launched(writes, owned(other, share), requires=SIX)
            assert isinstance(refused(kernel.ghost, written_by_threads(kernel, state), (ID,), ()), NotOwner)


def test_cells_of_the_group_belong_to_each_of_its_parts() -> None:
    for owner in (None, Owner(B0, ONE), Owner(ZERO, GROUP_SIZE)):
        kernel, state = launched(owned(owner), requires=SIX)
        kernel.ghost(state, (ID,), ())
    for owner in (Owner(ZERO, k.num(7)), Owner(k.num(-1), k.num(2)), Owner(k.add(B0, ONE), ONE)):  # no such threads
        kernel, state = launched(owned(owner), requires=SIX)
        assert isinstance(refused(kernel.ghost, state, (ID,), ()), NotOwner)


def test_no_thread_owns_cells_of_host_code() -> None:
    kernel, state = begun(owned(Owner(ZERO, ONE)))
    assert isinstance(refused(kernel.ghost, state, (ID,), ()), WrongContext)
    kernel, state = begun(owned(None))
    kernel.ghost(state, (ID,), ())


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
    inside, names = end.fresh("z", INT), {**end.names, "z": end.fresh("z", INT).data.number + 1}
    for owner in (Owner(inside, ONE), Owner(ZERO, inside)):
        forged = changed(end, held={**end.held, number: replace(end.held[number], owner=owner)}, names=names)
        assert isinstance(refused(kernel.leave_loop, forged, ((),), ()), OutOfOrder)
    for used in (inside, k.add(ONE, inside)):
        forged = changed(end, context=replace(end.context, used=used), names=names)
        assert isinstance(refused(kernel.leave_loop, forged, ((),), ()), OutOfOrder)


def test_barriers() -> None:
    kernel, state = begun(kc.LaunchKernel(ONE, ONE, ZERO), kc.Barrier("magic"))
    assert isinstance(refused(kernel.barrier, kernel.launch(state)), WrongContext)
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


def test_the_barrier_of_the_teardown_belongs_to_the_teardown() -> None:
    sync = kc.Barrier("kernel")
    kernel, state = begun(sync)
    assert isinstance(refused(kernel.barrier, state), WrongContext)
    kernel, state = begun(kc.LaunchKernel(ONE, ONE, ZERO), sync)
    assert isinstance(refused(kernel.barrier, kernel.launch(state)), WrongContext)
    kernel, state = launched(sync)
    assert isinstance(refused(kernel.barrier, state), WrongContext)
    kernel, state = launched(kc.Phase("teardown"), sync)
    state = kernel.phase(state)
    after = kernel.barrier(state)
    assert after == changed(state, code=())
