"""Forged arguments of rules: terms that no parser builds, names that collide, owners that are no thread.

Beside each stands what it imitates, which is accepted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from optigpu.kernel import State, Theorem
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import NotOwner, WrongContext, WrongShape
from optigpu.kernel.loop_contract import Exclusive, Invariant, LoopContract
from optigpu.kernel.thread_conditions import ANY_LAUNCH
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, KNOWN, READ, SOME, CellClaim, Cells, Owner, box
from optigpu.logic.facts import Facts
from optigpu.logic.names import read_name
from optigpu.logic.terms import BOOL, INT, ONE, REAL, TRUE, ZERO, Term
from tests.support.kernel_states import (
    B0,
    B1,
    ID,
    NOUGHT,
    SIZES,
    THREE,
    WHOLE,
    begun,
    callee,
    calling,
    launched,
    m,
    n,
    refused,
    store,
    threads,
    written_by_threads,
)
from tests.support.open_kernel import OpenKernel as Kernel

# Order of terms


def test_variables_of_one_key_make_one_product() -> None:
    """Two names of one checksum: were x*y and y*x two monomials, one coefficient would be taken for the other's."""
    x, y = k.var("nidmovh", INT), k.var("bubanxn", INT)
    assert x.key == y.key
    assert k.mul(x, y) is k.mul(y, x)
    assert k.sub(k.mul(x, y, y), k.mul(y, x, y)) is ZERO
    facts = Facts().assume(k.le(ONE, x), k.le(ONE, y))
    for a, b in ((x, y), (y, x)):
        assert not facts.proves(k.le(k.scale(2, k.mul(a, b)), k.mul(b, a)))
        assert facts.proves(k.le(k.mul(a, b), k.scale(2, k.mul(b, a))))


# Values of logical variables


def test_a_logical_variable_is_one_value_for_all_cells() -> None:
    """g asks for an array that holds V everywhere. An array that holds i at i is none, though "i" is what each cell holds."""
    size, V, result = k.var("k", INT), k.var("V", INT), k.var("_Res", REAL)
    first, second = k.var("p", REAL), k.var("q", REAL)
    constant = CellClaim(box("y", (size,)), KNOWN, k.to_real(V))
    two = k.le(k.num(2), size)
    g = kc.Procedure(
        "g",
        (kc.Parameter("k", INT), kc.Parameter("y", REAL, (size,))),
        kc.ProcedureContract((V,), (two,), (constant,), (constant,), (k.eq(result, NOUGHT),), result),
        (
            kc.LoadCell(first, kc.CellAddress("y", (ZERO,))),
            kc.LoadCell(second, kc.CellAddress("y", (ONE,))),
            kc.Bind(result, k.sub(first, second)),
        ),
    )
    for value, argument, ok in ((B0, B0, False), (B0, m, False), (m, B0, False), (m, m, True)):
        requires = (*SIZES, k.le(k.num(2), n))
        kernel, state = calling(g, pre=(CellClaim(WHOLE, KNOWN, k.to_real(value)),), requires=requires)
        end = kernel.load(kernel.load(kernel.begin("g", ((B0,),)), 1, (ZERO,)), 1, (ONE,))
        kernel.finish(kernel.let(end), (ID,), ((),))
        if ok:
            kernel.call(state, (argument,), (ID,), ((),))
        else:
            refused(kernel.call, state, (argument,), (ID,), ((),))


def test_nothing_is_given_back_for_reading() -> None:
    """The caller has not lost what it lent: with a second family of the same cells it could read what they held before a store."""
    claim = CellClaim(box("y", (k.var("k", INT),)), SOME)
    for pre, post, ok in ((READ, READ, False), (FULL, READ, False), (FULL, FULL, True)):
        contract = kc.ProcedureContract((), (), (replace(claim, share=pre),), (replace(claim, share=post),), ())
        kernel, state = calling(callee(contract=contract))
        if ok:
            assert kernel.call(state, (), (ID,), ()).held.keys() == {1}
        else:
            assert isinstance(refused(kernel.call, state, (), (ID,), ()), WrongShape)


# Sorts


def half_as_integer(make: Callable[[Term, Term], Term], twice: int) -> Theorem:
    """g asks for a V with 2 * V == W and W == `twice`; f calls it with what `make` makes of 1/2 and 3/2, and ensures `false`."""
    V, W, y, z = k.var("V", INT), k.var("W", INT), k.var("y", REAL), k.var("z", REAL)
    asks = kc.ProcedureContract(
        (V, W), (k.eq(k.scale(2, V), W), k.eq(W, k.num(twice))), (), (), (k.FALSE,) * (twice % 2)
    )
    known = (k.eq(y, k.num(Fraction(1, 2), REAL)), k.eq(z, k.num(Fraction(3, 2), REAL)), k.eq(m, k.num(twice)))
    kernel, state = begun(
        kc.Invoke(None, "g", ()),
        pre=(),
        requires=(*SIZES, *known),
        ensures=(k.FALSE,) * (twice % 2),
        others=(kc.Procedure("g", (), asks, ()),),
    )
    kernel.finish(kernel.begin("g", ()), (), ((),) * (twice % 2))
    return kernel.finish(kernel.call(state, (make(y, z), m), (), ((), ())), (), ((),) * (twice % 2))


FORGED: tuple[Callable[[Term, Term], Term], ...] = (
    lambda y, z: k.big("sum", y, z, B0),
    lambda y, z: k.big("fold_max", ZERO, k.sub(n, n), B0, y),
    lambda y, z: k.ite(k.var("P", BOOL), ZERO, y),
    lambda y, z: k.instantiate(k.add(B0, ONE), (k.sub(y, k.num(1, REAL)),)),
    lambda y, z: k.app(k.lam((z,), k.instantiate(k.add(B0, m), (z,))), y),
)


@pytest.mark.parametrize("make", FORGED)
def test_no_term_of_integers_is_half(make: Callable[[Term, Term], Term]) -> None:
    with pytest.raises(TypeError):
        half_as_integer(make, 1)


def test_an_integer_is_twice_its_half() -> None:
    half_as_integer(lambda y, z: k.big("sum", ONE, k.num(2), B0), 2)


def test_constructors_refuse_other_sorts() -> None:
    y, p, f = k.var("y", REAL), k.var("p", BOOL), k.var("f", k.fun_sort((INT,), REAL))
    for make in (
        lambda: k.num(1, BOOL),
        lambda: k.num(1, f.sort),
        lambda: k.inv(n),
        lambda: k.trunc(n),
        lambda: k.trunc(p),
        lambda: k.to_real(p),
        lambda: k.not_(n),
        lambda: k.and_(p, n),
        lambda: k.or_(n, m),
        lambda: k.ite(n, m, m),
        lambda: k.ite(p, n, y),
        lambda: k.eq(p, n),
        lambda: k.eq(f, k.var("g", k.fun_sort((INT,), INT))),
        lambda: k.forall((n,), n),
        lambda: k.big("sum", NOUGHT, y, B0),
        lambda: k.big("sum", ZERO, n, p),
        lambda: k.big("all", ZERO, n, B0),
        lambda: k.big("fold_max", ZERO, n, B0, NOUGHT),
        lambda: k.instantiate(k.bound(0, REAL), (n,)),
    ):
        with pytest.raises(TypeError):
            make()
    k.big("fold_max", ZERO, n, k.to_real(B0), NOUGHT)
    k.ite(p, k.to_real(n), y)
    k.instantiate(k.bound(0, REAL), (y,))


def test_only_integers_are_quotients() -> None:
    """`n/16` is the name of n div 16 among the facts; a real or a function of this name is something else."""
    facts = Facts().assume(k.eq(k.fmod(n, k.num(16)), ZERO))
    assert facts.simplify(k.var(read_name("n/16"), INT)) is k.fdiv(n, k.num(16))
    for sort in (REAL, k.fun_sort((INT,), INT)):
        assert facts.simplify(k.var(read_name("n/16"), sort)) is k.var(read_name("n/16"), sort)
    with pytest.raises(AssertionError):
        k.bound(-1, INT)


# Owners


T, B, R = k.var("t", INT), k.var("b", INT), k.var("r", INT)
BLOCK, FIVE = k.num(32), k.num(5, REAL)
NOTHING = kc.CountedLoop(R, ZERO, "<", ONE, "+", ONE, ())  # a sequential loop without a body
SIXTY_FOUR = (k.eq(n, k.num(64)), k.le(ZERO, m))


def cell(block: Term, thread: Term, crossed: bool) -> Term:
    """The cell of a thread of a block, or of the other one of two blocks."""
    return k.add(k.scale(32, k.sub(ONE, block) if crossed else block), thread)


def of_blocks(crossed: bool, value: Term, whole: bool) -> Exclusive:
    home = k.fdiv(B0, BLOCK)
    cells = Cells("a", ((ZERO, k.num(2)), (ZERO, BLOCK)), TRUE, (cell(B1, B0, crossed),))
    back = (k.sub(ONE, home) if crossed else home, k.fmod(B0, BLOCK))
    return Exclusive(1, cells, cells.index, back, TRUE, value, whole)


def blocks(crossed: bool, *first: kc.Instruction, value: Term = FIVE) -> kc.CountedLoop:
    """Two blocks of 32 threads, each of which writes its cell."""
    write = kc.CountedLoop(T, ZERO, "<", BLOCK, "+", ONE, (store(cell(B, T, crossed), value),), kc.THREAD)
    return kc.CountedLoop(B, ZERO, "<", k.num(2), "+", ONE, (*first, write), kc.THREAD)


def restated(kernel: Kernel, state: State, family: int, value: Term, owner: Owner | None) -> State:
    """After a loop that does nothing, with an invariant that says who owns the cells."""
    body = kernel.enter_loop(state, LoopContract((), (Invariant(family, TRUE, value, (), owner),)))
    return kernel.leave_loop(body, (), ((),))


def written_by_the_block(kernel: Kernel, state: State) -> tuple[State, int]:
    """At the end of the loop over a block's threads, and the family of its cells."""
    (family,) = [f for f, r in state.held.items() if r.share == FULL]
    own = Exclusive(family, replace(state.held[family].cells, ranges=((ZERO, BLOCK),)), (B0,), (B0,), TRUE, FIVE)
    body = kernel.enter_loop(state, LoopContract((own,), part=ONE))
    (one,) = [f for f, r in body.held.items() if r.share == FULL]
    return kernel.leave_loop(kernel.store(body, one, ()), ((),), ()), family


def after_threads(owner: Owner, crossed: bool) -> Theorem:
    """All 64 threads write their cells; "they belong to `owner`"; then blocks synchronise and write theirs, or each other's."""
    code = (threads("t", 64, store(T)), NOTHING, blocks(crossed, kc.Barrier("block")))
    post = (CellClaim(WHOLE, KNOWN, FIVE),)
    ends = (kc.Phase("teardown"), kc.Phase("host"))
    kernel, state = launched(*code, *ends, block=32, grid=k.num(2), requires=SIXTY_FOUR, post=post)
    state = restated(kernel, written_by_threads(kernel, state, 64), 1, THREE, owner)
    body = kernel.enter_loop(state, LoopContract((of_blocks(crossed, FIVE, False),), part=BLOCK))
    body, _ = written_by_the_block(kernel, kernel.barrier(body))
    return kernel.finish(kernel.phase(kernel.phase(kernel.leave_loop(body, ((),), ()))), (ID,), ())


def test_nopartis_no_owner() -> None:
    """Nobody is in every block. Each block would write what a thread of the other one has written, and no barrier is between."""
    after_threads(Owner(B0, ONE), False)
    for nobody in (Owner(k.num(100), k.num(-100)), Owner(B0, ZERO), Owner(k.add(B0, ONE), ZERO)):
        for crossed in (True, False):
            assert isinstance(refused(after_threads, nobody, crossed), NotOwner)
    assert isinstance(refused(after_threads, Owner(B0, ONE), True), NotOwner)


def after_blocks(owner: Owner | None, crossed: bool) -> Theorem:
    """Blocks write their cells and synchronise; "they belong to `owner`" of the block's threads; then blocks write again."""
    first = (*blocks(False).body, kc.Barrier("block"), NOTHING)
    code = (replace(blocks(False), body=first), blocks(crossed))
    ends = (kc.Phase("teardown"), kc.Phase("host"))
    post = (CellClaim(WHOLE, KNOWN, FIVE),)
    kernel, state = launched(*code, *ends, block=32, grid=k.num(2), requires=SIXTY_FOUR, post=post)
    body = kernel.enter_loop(state, LoopContract((of_blocks(False, FIVE, True),), part=BLOCK))
    body, family = written_by_the_block(kernel, body)
    state = kernel.leave_loop(restated(kernel, kernel.barrier(body), family, FIVE, owner), ((),), ())
    body = kernel.enter_loop(state, LoopContract((of_blocks(crossed, FIVE, True),), part=BLOCK))
    body, _ = written_by_the_block(kernel, body)
    return kernel.finish(kernel.phase(kernel.phase(kernel.leave_loop(body, ((),), ()))), (ID,), ())


def test_an_owner_is_part_of_the_group() -> None:
    """What a block may access belongs to the block afterwards, not to its neighbour."""
    for owner in (None, Owner(ZERO, BLOCK)):
        after_blocks(owner, False)
        assert isinstance(refused(after_blocks, owner, True), NotOwner)
    for strangers in (Owner(k.num(-32), k.num(96)), Owner(BLOCK, BLOCK), Owner(k.num(-32), BLOCK)):
        assert isinstance(refused(after_blocks, strangers, True), NotOwner)


# Kernels


ANOTHER = (kc.Phase("teardown"), kc.Phase("host"), kc.LaunchKernel(ONE, k.num(6), ZERO), kc.Phase("threads"))


def loop_of_three(*body: kc.Instruction) -> kc.CountedLoop:
    return kc.CountedLoop(R, ZERO, "<", k.num(3), "+", ONE, body)


def test_a_kernel_ends_where_it_was_launched() -> None:
    """A loop of threads that ends the kernel and launches another one has no meaning; one of the host may launch many."""
    kernel, state = launched(loop_of_three(*ANOTHER), *ANOTHER[:2])
    assert isinstance(refused(kernel.phase, kernel.enter_loop(state, LoopContract())), WrongContext)
    kernel, state = begun(loop_of_three(*ANOTHER[2:], *ANOTHER[:2]), pre=())
    body = kernel.phase(kernel.launch(kernel.enter_loop(state, LoopContract())))
    kernel.finish(kernel.leave_loop(kernel.phase(kernel.phase(body)), (), ()), (), ())
    kernel.unroll(state)
    kernel, state = launched(loop_of_three(*ANOTHER))
    assert isinstance(refused(kernel.unroll, state), WrongContext)
    for part in (ANOTHER[2:], ANOTHER[2:3]):
        kernel, state = begun(loop_of_three(*part), pre=())
        assert isinstance(refused(kernel.unroll, state), WrongContext)


def test_a_device_function_does_not_end_the_kernel() -> None:
    """Otherwise the end of one kernel and the start of another would be a barrier for the grid, in the middle of the caller's."""
    alone = (*SIZES, k.eq(k.mul(*ANY_LAUNCH), ONE))
    kernel, state = begun(*ANOTHER, device=True, space="GMem", requires=alone, pre=())
    assert isinstance(refused(kernel.phase, state), WrongContext)
    kernel, state = begun(device=True, space="GMem", requires=alone, pre=())
    kernel.finish(state, (), ())


# Registers


def test_a_lane_writes_its_own_copy() -> None:
    """A local array of a warp is a copy in each lane. After a shuffle lane l has its y[l], and the other lanes do not."""
    registers = [kc.Allocate("x", REAL, (), "TReg", False, True), kc.Allocate("y", REAL, (), "TReg", False, True)]
    lane = threads("t", 32, kc.StoreCell(kc.CellAddress("x", (T,)), THREE))
    for local in (registers[1], kc.Allocate("y", REAL, (BLOCK,), heap=False)):
        shuffle = kc.Shuffle("shfl_down", kc.ArrayView("y", (), ZERO), kc.ArrayView("x", (), ZERO), ONE)
        kernel, state = launched(registers[0], local, lane, shuffle, block=32)
        state = kernel.allocate(kernel.allocate(state))
        x, y = (next(i for i, r in state.held.items() if r.cells.base == name) for name in "xy")
        own = Exclusive(x, Cells("x", ((ZERO, BLOCK),), TRUE, (B0,)), (B0,), (B0,), TRUE, THREE)
        body = kernel.enter_loop(state, LoopContract((own,), part=ONE))
        (one,) = [i for i, r in body.held.items() if r.share == FULL]
        state = kernel.leave_loop(kernel.store(body, one, ()), ((),), ())
        if local is registers[1]:
            kernel.shuffle(state, x, (B0,), y, (B0,), (B0,))
        else:
            assert isinstance(refused(kernel.shuffle, state, x, (B0,), y, (B0,), (B0,)), NotOwner)
