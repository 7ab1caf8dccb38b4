"""Side conditions of the rules for fragments, copies of tiles and pipelined loops: each rejects a wrong program."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from optigpu.kernel import State
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import (
    LeftAhead,
    MissingPermission,
    NotOwner,
    NoWholeWarps,
    OutOfOrder,
    SharedMemoryExceeded,
    Uninitialised,
    UnorderedRead,
    WrongContext,
    WrongGroup,
    WrongShape,
    WrongSpace,
    WrongStage,
)
from optigpu.kernel.context import PendingRead, imaginary
from optigpu.kernel.fragment_layouts import thread_of, threads_of_row
from optigpu.kernel.fragment_rules import Found
from optigpu.kernel.loop_contract import LoopContract
from optigpu.kernel.state import changed
from optigpu.logic import terms as k
from optigpu.logic.cells import ADDING, FULL, LENT, READ, SOME, CellClaim, Owner, box
from optigpu.logic.terms import INT, ONE, REAL, TRUE, ZERO, Term
from optigpu.search.fresh_names import search_var
from tests.support.kernel_states import (
    B0,
    B1,
    KNOWN_A,
    NOUGHT,
    SIX,
    begun,
    each,
    i,
    kernel_of,
    launched,
    load,
    n,
    refused,
    store,
    threads,
)
from tests.support.open_kernel import OpenKernel as Kernel

ID = (B1, B0)
ACROSS = (B0, B1)
SIZES = (k.num(16), k.num(8))
MATRIX = kc.Parameter("b", REAL, SIZES, "GMem")
CLAIM = CellClaim(box("b", SIZES), SOME)


def array(base: str, space: str, *dims: Term, elem: k.Sort = REAL, **about: Any) -> kc.Allocate:
    return kc.Allocate(base, elem, dims or SIZES, space, False, about.pop("distributed", False), 4, **about)


def tile(base: str) -> kc.TileView:
    return kc.TileView(base, (), ZERO, ZERO)


def family(state: State, base: str) -> int:
    (number,) = [f for f, r in state.held.items() if r.cells.base == base]
    return number


def written(state: State, *bases: str, value: Term = NOUGHT) -> State:
    new = {f: replace(r, init=TRUE, value=value) for f, r in state.held.items() if r.cells.base in bases}
    return changed(state, held={**state.held, **new})


def with_family(state: State, base: str, **about: Any) -> State:
    number = family(state, base)
    return changed(state, held={**state.held, number: replace(state.held[number], **about)})


# Rules and instructions ------------------------------------------------------------------------------------------------------

NOWHERE_FOUND = Found(1, ID, ID)
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "multiply_tiles": (NOWHERE_FOUND, NOWHERE_FOUND, NOWHERE_FOUND),
    "reduce_rows": (NOWHERE_FOUND, NOWHERE_FOUND),
    "copy_tile": (NOWHERE_FOUND, NOWHERE_FOUND),
    "await_stage": (),
}


@pytest.mark.parametrize("rule", ARGUMENTS)
def test_a_rule_for_tiles_is_for_its_instruction(rule: str) -> None:
    for code in ((kc.Bind(i, ZERO),), ()):
        kernel, state = launched(*code, block=64)
        assert isinstance(refused(getattr(kernel, rule), state, *ARGUMENTS[rule]), OutOfOrder)


# Groups that have fragments together -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("rank", [1, 2])
@pytest.mark.parametrize(
    "block, size", [(32, 32), (128, 128), (64, None), (96, None), (256, None), (31, None), (1, None)]
)
def test_a_fragment_belongs_to_32_or_128_threads(rank: int, block: int, size: int | None) -> None:
    kernel, state = launched(array("c", "Frag", *SIZES[:rank]), block=block)
    if size is None:
        assert isinstance(refused(kernel.allocate, state), WrongGroup)
        return
    state = kernel.allocate(state)
    owner = threads_of_row(size, B0) if rank == 1 else thread_of(size, B1, B0)
    assert state.held[family(state, "c")].owner == owner
    assert state.bases["c"].layout == (size, rank)


@pytest.mark.parametrize(
    "block, groups, size", [(64, 2, 32), (128, 4, 32), (256, 2, 128), (32, 1, 32), (64, 4, None), (128, 2, None)]
)
def test_equal_parts_of_a_group_have_a_fragment_each(block: int, groups: int, size: int | None) -> None:
    kernel, state = launched(array("c", "Frag", distributed=True, groups=k.num(groups)), block=block)
    if size is None:
        assert isinstance(refused(kernel.allocate, state), WrongGroup)
        return
    state = kernel.allocate(state)
    part = thread_of(size, B1, B0).moved(k.scale(size, k.bound(2, INT)))
    assert state.held[family(state, "c")].owner == part


def test_threads_of_two_blocks_have_no_fragment() -> None:
    """32 threads, of two blocks of 16: they are no warp."""
    for block, grid, ok in ((32, 1, True), (16, 2, False)):
        kernel, state = launched(array("c", "Frag"), block=block, grid=k.num(grid))
        if ok:
            kernel.allocate(state)
        else:
            assert isinstance(refused(kernel.allocate, state), NoWholeWarps)


def in_a_row(*code: kc.Instruction) -> tuple[Kernel, State]:
    """The body of a loop over rows of fragments."""
    rows = kc.CountedLoop(i, ZERO, "<", k.num(16), "+", ONE, code, kc.FRAG)
    kernel, state = launched(rows, block=32)
    return kernel, kernel.enter_loop(state, LoopContract())


def test_a_row_of_fragments_has_no_fragments() -> None:
    """Even if its threads are all those of the group."""
    kernel, state = in_a_row(array("c", "Frag"))
    assert isinstance(refused(kernel.allocate, state), WrongGroup)
    whole = changed(state, context=replace(state.context, threads=k.num(32)))
    assert isinstance(refused(kernel.allocate, whole), WrongContext)
    kernel.allocate(changed(whole, context=replace(whole.context, row=None)))


def test_a_row_of_fragments_has_no_thread_loops() -> None:
    """How many threads it has is not known; nor if somebody says so."""
    kernel, state = in_a_row(threads("t", 4))
    four = changed(state, context=replace(state.context, threads=k.num(4)))
    for s in (state, four):
        assert isinstance(refused(kernel.enter_loop, s, LoopContract(part=ONE)), WrongContext)


def test_a_loop_over_fragments_counts_up_by_one() -> None:
    for start, relation, op, amount, ok in ((0, "<", "+", 1, True), (0, "<", "+", 2, False), (15, ">=", "-", 1, False)):
        bound = k.num(16) if op == "+" else ZERO
        rows = kc.CountedLoop(i, k.num(start), relation, bound, op, k.num(amount), (), kc.FRAG)
        kernel, state = launched(rows, block=32)
        if ok:
            kernel.enter_loop(state, LoopContract())
        else:
            assert isinstance(refused(kernel.enter_loop, state, LoopContract()), WrongShape)


def test_fragments_end_with_their_scope() -> None:
    for freed in (True, False):
        release = (kc.Release("c", False),) if freed else ()
        kernel, state = launched(array("c", "Frag"), *release, kc.Phase("teardown"), block=32)
        state = kernel.allocate(state)
        if freed:
            kernel.phase(kernel.free(state, family(state, "c"), ID))
        else:
            assert refused(kernel.phase, state) is not None


# Products and reductions -----------------------------------------------------------------------------------------------------


def multiplying(left: str = "SMem", right: str = "SMem", elem: k.Sort = REAL, **about: Any) -> tuple[Kernel, State]:
    """c += l * r, with a sum of 8 products."""
    product_ = kc.MultiplyTiles(tile("c"), tile("l"), tile("r"), k.num(8), k.num(8), k.num(8), **about)
    sizes = (k.num(8), k.num(8))
    code = (
        array("c", "Frag", *sizes),
        array("l", left, *sizes, elem=elem),
        array("r", right, *sizes, elem=elem),
        product_,
    )
    kernel, state = launched(*code, block=32, shared=4096)
    for _ in range(3):
        state = kernel.allocate(state)
    return kernel, written(state, "c", "l", "r")


def places(state: State, left: tuple[Term, ...] = ID, right: tuple[Term, ...] = ID) -> tuple[Found, Found, Found]:
    return Found(family(state, "c"), ID, ID), Found(family(state, "l"), left), Found(family(state, "r"), right)


def test_factors_are_in_shared_memory_or_fragments() -> None:
    for left, right in (("SMem", "SMem"), ("Frag", "SMem"), ("SMem", "Frag"), ("Frag", "Frag")):
        kernel, state = multiplying(left, right)
        kernel.multiply_tiles(state, *places(state))
    for space in ("GMem", "TReg", "Any", "Device"):
        kernel, state = multiplying()
        state = changed(state, bases={**state.bases, "l": replace(state.bases["l"], space=space)})
        assert isinstance(refused(kernel.multiply_tiles, state, *places(state)), WrongSpace)


def test_tensor_cores_multiply_no_integers() -> None:
    kernel, state = multiplying(elem=INT)
    assert isinstance(refused(kernel.multiply_tiles, state, *places(state)), WrongSpace)


def test_a_transposed_fragment_is_no_factor() -> None:
    """The thread of (i, k) has element (i, k), and not (k, i)."""
    for space, ok in (("SMem", True), ("Frag", False)):
        kernel, state = multiplying(left=space, left_across=True)
        if ok:
            kernel.multiply_tiles(state, *places(state, left=ACROSS))
        else:
            assert isinstance(refused(kernel.multiply_tiles, state, *places(state, left=ACROSS)), NotOwner)


def test_a_factor_is_not_what_single_threads_have_written() -> None:
    for owner, ok in (
        (None, True),
        (Owner(ZERO, k.num(32)), True),
        (Owner(B0, ONE), False),
        (Owner(ZERO, k.num(31)), False),
    ):
        kernel, state = multiplying()
        state = with_family(state, "r", owner=owner)
        if ok:
            kernel.multiply_tiles(state, *places(state))
        else:
            assert isinstance(refused(kernel.multiply_tiles, state, *places(state)), NotOwner)


def test_a_factor_under_way_is_not_multiplied() -> None:
    kernel, state = multiplying()
    state = with_family(state, "l", owner=imaginary())
    assert isinstance(refused(kernel.multiply_tiles, state, *places(state)), NotOwner)


def test_factors_and_sums_have_been_written() -> None:
    for base in "clr":
        kernel, state = multiplying()
        state = with_family(state, base, init=k.lt(B0, k.num(7)))
        assert isinstance(refused(kernel.multiply_tiles, state, *places(state)), Uninitialised)


def test_sums_are_held_in_full() -> None:
    for share, ok in ((FULL, True), (READ, False), (LENT, False)):
        for base in "cl":
            kernel, state = multiplying()
            state = with_family(state, base, share=share)
            if ok or base == "l":
                kernel.multiply_tiles(state, *places(state))
            else:
                assert isinstance(refused(kernel.multiply_tiles, state, *places(state)), MissingPermission)


def test_sums_are_no_factor() -> None:
    kernel, state = multiplying("Frag")
    same = replace(state.next, left=tile("c")) if isinstance(state.next, kc.MultiplyTiles) else None
    assert same is not None
    target, _, right = places(state)
    state = changed(state, code=(same,))
    assert isinstance(refused(kernel.multiply_tiles, state, target, replace(target, back=()), right), WrongShape)


def test_places_of_tiles_are_terms_of_the_program() -> None:
    kernel, state = multiplying()
    target, left, right = places(state)
    wrong = replace(left, forward=(search_var("x", 0, INT), B0))
    assert isinstance(refused(kernel.multiply_tiles, state, target, wrong, right), OutOfOrder)


def test_all_threads_of_a_row_have_its_sum() -> None:
    """A vector of which one thread of each row has the element is no result of a reduction."""
    code = (array("v", "Frag", k.num(16)), array("c", "Frag"))
    reduction = kc.ReduceRows(kc.ROW_SUM, kc.ArrayView("v", (), ZERO), tile("c"), *SIZES)
    for owner, ok in ((threads_of_row(32, B0), True), (thread_of(32, B0, ZERO), False)):
        kernel, state = launched(*code, reduction, block=32)
        state = written(kernel.allocate(kernel.allocate(state)), "v", "c")
        state = with_family(state, "v", owner=owner)
        found = Found(family(state, "v"), (B0,), (B0,)), Found(family(state, "c"), ID)
        if ok:
            kernel.reduce_rows(state, *found)
        else:
            assert isinstance(refused(kernel.reduce_rows, state, *found), NotOwner)


# Copies of tiles -------------------------------------------------------------------------------------------------------------


def copying(*code: kc.Instruction, block: int = 64, elem: k.Sort = REAL, **about: Any) -> tuple[Kernel, State]:
    """t gets all of the matrix b."""
    copy = kc.CopyTile(tile("t"), tile("b"), *SIZES, SIZES)
    kernel, state = with_matrix(array("t", "SMem", elem=elem, **about), copy, *code, block=block)
    return kernel, kernel.allocate(state)


def with_matrix(*code: kc.Instruction, block: int = 64) -> tuple[Kernel, State]:
    """A block that holds the matrix b in global memory."""
    start = (kc.LaunchKernel(ONE, k.num(block), k.num(4096)), kc.Phase("threads"))
    kernel = kernel_of(*start, *code, params=(MATRIX,), pre=(KNOWN_A, CLAIM), space="GMem")
    return kernel, kernel.phase(kernel.launch(kernel.begin("f", ((B0,), ID))))


def copy_of(state: State) -> tuple[Found, Found]:
    return Found(family(state, "t"), ID, ID), Found(family(state, "b"), ID)


@pytest.mark.parametrize("block, ok", [(64, True), (33, True), (32, False), (1, False)])
def test_a_tile_is_copied_by_several_warps(block: int, ok: bool) -> None:
    """Otherwise a thread, or a barrier of a warp, could order what the copy does behind what it does itself."""
    kernel, state = copying(block=block)
    if ok:
        kernel.copy_tile(state, *copy_of(state))
    else:
        assert isinstance(refused(kernel.copy_tile, state, *copy_of(state)), WrongStage)


def test_a_tile_is_copied_by_a_whole_block() -> None:
    kernel, state = copying()
    for group in (32, 128):
        part = changed(state, context=replace(state.context, threads=k.num(group)))
        assert isinstance(refused(kernel.copy_tile, part, *copy_of(part)), WrongGroup)


def test_a_tile_is_copied_from_global_to_shared_memory() -> None:
    for base, spaces in (("t", ("GMem", "TReg", "Frag")), ("b", ("SMem", "TReg", "Any"))):
        for space in spaces:
            kernel, state = copying()
            state = changed(state, bases={**state.bases, base: replace(state.bases[base], space=space)})
            assert isinstance(refused(kernel.copy_tile, state, *copy_of(state)), WrongSpace)


def test_a_copy_changes_no_types() -> None:
    for about in ({"elem": INT}, {"limits": (0, 255)}):
        kernel, state = copying(**about)
        assert isinstance(refused(kernel.copy_tile, state, *copy_of(state)), WrongShape)


def test_a_tile_that_may_be_read_is_not_copied_to() -> None:
    for base in "tb":
        kernel, state = copying()
        read = PendingRead(family(state, base), box(base, SIZES), Owner(ZERO, ONE))
        state = changed(state, pending_reads=(read,))
        if base == "b":
            kernel.copy_tile(state, *copy_of(state))
        else:
            assert isinstance(refused(kernel.copy_tile, state, *copy_of(state)), UnorderedRead)


def test_a_tile_under_way_is_not_copied_to_again() -> None:
    kernel, state = copying(kc.CopyTile(tile("t"), tile("b"), *SIZES, SIZES))
    state = kernel.copy_tile(state, *copy_of(state))
    assert isinstance(refused(kernel.copy_tile, state, *copy_of(state)), NotOwner)


def test_a_copy_is_over_after_the_barrier_of_the_block() -> None:
    for barrier in (True, False):
        between = (kc.Barrier("block"),) if barrier else ()
        read = kc.LoadCell(k.var("x", REAL), kc.CellAddress("t", (ZERO, ZERO)))
        kernel, state = copying(*between, read)
        state = kernel.copy_tile(state, *copy_of(state))
        assert state.pending_reads
        if barrier:
            state = kernel.barrier(state)
            assert not state.pending_reads
            kernel.load(state, family(state, "t"), (ZERO, ZERO))
        else:
            assert isinstance(refused(kernel.load, state, family(state, "t"), (ZERO, ZERO)), NotOwner)


# Pipelined loops -------------------------------------------------------------------------------------------------------------

WAIT = kc.AwaitStage()


def pipelined(
    *body: kc.Instruction, stages: int = 2, block: int = 64, shared: int = 64, **about: Any
) -> tuple[Kernel, State]:
    """The start of the body of a pipelined loop of three iterations."""
    after, contract = about.pop("after", ()), about.pop("contract", LoopContract())
    kernel, state = launched(pipeline(*body, stages=stages), *after, block=block, shared=shared, requires=SIX, **about)
    return kernel, kernel.enter_loop(state, contract)


def pipeline(*body: kc.Instruction, stages: int = 2) -> kc.CountedLoop:
    return kc.CountedLoop(i, ZERO, "<", k.num(3), "+", ONE, body, kc.PIPELINED, stages)


FOUR = k.num(4)


def shared(base: str = "s", size: Term = FOUR, **about: Any) -> kc.Allocate:
    return array(base, "SMem", size, **about)


def test_a_pipelined_loop_is_run_by_a_block_of_several_warps() -> None:
    pipelined(WAIT, block=64)
    for block, grid, cause in ((32, 1, WrongStage), (64, 2, WrongGroup)):
        kernel, state = launched(pipeline(WAIT), block=block, grid=k.num(grid))
        assert isinstance(refused(kernel.enter_loop, state, LoopContract()), cause)


def test_a_pipelined_loop_has_stages() -> None:
    kernel, state = launched(pipeline(WAIT, stages=0), block=64)
    assert isinstance(refused(kernel.enter_loop, state, LoopContract()), WrongStage)


def test_the_body_waits_once() -> None:
    kernel, state = pipelined(WAIT, WAIT)
    assert isinstance(refused(kernel.await_stage, kernel.await_stage(state)), WrongStage)
    kernel, state = pipelined()
    assert isinstance(refused(kernel.leave_loop, state, (), ()), WrongStage)
    kernel, state = pipelined(WAIT)
    kernel.leave_loop(kernel.await_stage(state), (), ())


def test_nothing_else_waits() -> None:
    kernel, state = launched(WAIT, block=64)
    assert isinstance(refused(kernel.await_stage, state), WrongStage)
    kernel, state = pipelined(kc.CountedLoop(k.var("j", INT), ZERO, "<", ONE, "+", ONE, (WAIT,)), WAIT)
    assert isinstance(refused(kernel.await_stage, kernel.enter_loop(state, LoopContract())), WrongStage)
    kernel, state = pipelined(kc.Branch(k.lt(ZERO, i), (WAIT,), (WAIT,)))
    for branch in kernel.enter_if(state):
        assert isinstance(refused(kernel.await_stage, branch), WrongStage)


@pytest.mark.parametrize("level", ["block", "magic"])
def test_what_runs_ahead_has_no_barriers(level: str) -> None:
    kernel, state = pipelined(kc.Barrier(level), WAIT)
    assert isinstance(refused(kernel.barrier, state), WrongStage)
    kernel, state = pipelined(WAIT, kc.Barrier(level))
    kernel.barrier(kernel.await_stage(state))


def test_what_runs_ahead_has_no_pipelined_loops() -> None:
    inner = kc.CountedLoop(k.var("j", INT), ZERO, "<", ONE, "+", ONE, (WAIT,), kc.PIPELINED, 2)
    kernel, state = pipelined(inner, WAIT)
    assert isinstance(refused(kernel.enter_loop, state, LoopContract()), WrongStage)
    kernel, state = pipelined(WAIT, inner)
    kernel.enter_loop(kernel.await_stage(state), LoopContract())


def test_what_runs_ahead_calls_only_what_a_thread_calls() -> None:
    """A function for a group may have barriers."""
    six = k.num(64)
    for group, ok in ((ONE, True), (six, False)):
        f = kc.Procedure(
            "g",
            (kc.Parameter("k", INT),),
            kc.ProcedureContract((), (), (), (), ()),
            (),
            admitted=True,
            device=True,
            threads=group,
        )
        kernel, state = pipelined(kc.Invoke(None, "g", (n,)), WAIT, others=(f,))
        cause = refused(kernel.call, state, (), (), ())
        assert isinstance(cause, WrongGroup if ok else WrongStage)


def test_what_the_loop_changes_is_out_of_sight_ahead() -> None:
    """Cells that the loop takes for itself come back with the wait; what it is lent can be read all the time."""
    own = each(k.num(3))
    for ahead in (True, False):
        access = load(ZERO)
        body = (access, WAIT) if ahead else (WAIT, access)
        kernel, state = pipelined(*body, contract=LoopContract((own,)))
        before = {r.share for r in state.held.values()}
        assert FULL not in before
        if not ahead:
            state = kernel.await_stage(state)
            assert FULL in {r.share for r in state.held.values()}
        kernel, state = pipelined(*body)
        state = state if ahead else kernel.await_stage(state)
        kernel.load(state, 1, (ZERO,))
    kernel, state = pipelined(store(ZERO), WAIT, contract=LoopContract((own,)))
    assert isinstance(refused(kernel.store, state, 1, (ZERO,)), MissingPermission)


def test_what_runs_ahead_leaves_shared_arrays_of_known_size() -> None:
    register = kc.Allocate("x", REAL, (), heap=False)
    for made, cause in ((shared(), None), (register, LeftAhead), (shared(size=k.sub(n, k.num(2))), WrongStage)):
        kernel, state = pipelined(made, WAIT)
        state = kernel.allocate(state)
        if cause is None:
            kernel.await_stage(state)
        else:
            assert isinstance(refused(kernel.await_stage, state), cause)


def test_what_runs_ahead_adds_to_no_array_that_it_leaves() -> None:
    for share, ok in ((FULL, True), (ADDING, False)):
        kernel, state = pipelined(shared(), WAIT)
        state = with_family(kernel.allocate(state), "s", share=share, init=TRUE)
        if ok:
            kernel.await_stage(state)
        else:
            assert isinstance(refused(kernel.await_stage, state), WrongStage)


def test_arrays_of_a_stage_are_declared_in_the_body_itself() -> None:
    kernel, state = pipelined(kc.CountedLoop(k.var("j", INT), ZERO, "<", ONE, "+", ONE, (shared(),)), WAIT)
    assert isinstance(refused(kernel.allocate, kernel.enter_loop(state, LoopContract())), WrongStage)
    kernel, state = pipelined(shared(), kc.Release("s", False), WAIT)
    state = kernel.allocate(state)
    assert isinstance(refused(kernel.free, state, family(state, "s"), (B0,)), WrongStage)


@pytest.mark.parametrize(
    "stages, bytes_, ok", [(1, 16, True), (2, 16, False), (2, 32, True), (3, 47, False), (4, 64, True), (5, 64, False)]
)
def test_each_stage_has_a_copy(stages: int, bytes_: int, ok: bool) -> None:
    """Four floats, so many times."""
    kernel, state = pipelined(shared(), WAIT, stages=stages, shared=bytes_)
    if ok:
        kernel.allocate(state)
    else:
        assert isinstance(refused(kernel.allocate, state), SharedMemoryExceeded)


def test_arrays_of_the_rest_have_one_copy() -> None:
    for count, ok in ((4, True), (5, False)):
        kernel, state = pipelined(WAIT, shared("r", k.num(count)), stages=4, shared=16)
        state = kernel.await_stage(state)
        if ok:
            kernel.allocate(state)
        else:
            assert isinstance(refused(kernel.allocate, state), SharedMemoryExceeded)


def test_a_stage_is_only_read_after_the_wait() -> None:
    kernel, state = pipelined(shared(), WAIT, load(ZERO, "s"), store(ZERO, base="s"))
    state = written(kernel.allocate(state), "s")
    state = kernel.await_stage(state)
    s = family(state, "s")
    assert state.held[s].share == LENT and state.held[s].owner is None
    state = kernel.load(state, s, (ZERO,))
    assert isinstance(refused(kernel.store, state, s, (ZERO,)), MissingPermission)


def after_a_pipeline(*after: kc.Instruction, bytes_: int = 32) -> tuple[Kernel, State]:
    """Two stages of 16 bytes, which the loop has left."""
    kernel, state = pipelined(shared(), WAIT, kc.Release("s", False), shared=bytes_, after=after)
    state = kernel.await_stage(written(kernel.allocate(state), "s"))
    return kernel, kernel.leave_loop(kernel.free(state, family(state, "s"), (B0,)), (), ())


@pytest.mark.parametrize("barrier", [True, False])
def test_stages_are_in_use_up_to_the_next_barrier(barrier: bool) -> None:
    between = (kc.Barrier("block"),) if barrier else ()
    kernel, state = after_a_pipeline(*between, shared("r", k.num(8)))
    if barrier:
        kernel.allocate(kernel.barrier(state))
    else:
        assert isinstance(refused(kernel.allocate, state), SharedMemoryExceeded)
    kernel, state = after_a_pipeline(shared("r", k.num(8)), bytes_=64)
    kernel.allocate(state)


def test_a_wait_ends_what_has_been_copied_to_a_stage() -> None:
    """And the reads of memory stay pending."""
    copy = kc.CopyTile(tile("t"), tile("b"), *SIZES, SIZES)
    read = kc.LoadCell(k.var("x", REAL), kc.CellAddress("t", (ZERO, ZERO)))
    kernel, state = with_matrix(pipeline(array("t", "SMem"), copy, WAIT, read))
    state = kernel.allocate(kernel.enter_loop(state, LoopContract()))
    state = kernel.copy_tile(state, *copy_of(state))
    assert state.held[family(state, "t")].owner is not None
    after = kernel.await_stage(state)
    assert after.held[family(after, "t")].owner is None
    assert [r.family for r in after.pending_reads] == [family(after, "b")]
    kernel.load(after, family(after, "t"), (ZERO, ZERO))


def test_the_host_has_no_tiles() -> None:
    kernel, state = begun(WAIT)
    assert isinstance(refused(kernel.await_stage, state), WrongStage)
    kernel, state = begun(array("c", "Frag"))
    assert isinstance(refused(kernel.allocate, state), WrongContext)
