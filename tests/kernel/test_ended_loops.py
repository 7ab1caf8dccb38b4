"""Variables that rules introduce in a loop end with it: later ones may have the same names, and nothing is known of these."""

from __future__ import annotations

from optigpu.kernel import State
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import BrokenInvariant, OutOfOrder, WrongValue
from optigpu.kernel.loop_contract import Invariant, LoopContract
from optigpu.logic import terms as k
from optigpu.logic.terms import INT, ONE, TRUE, ZERO
from tests.support.kernel_states import B0, THREE, A, begun, each, i, launched, load, loop, m, n, refused, store
from tests.support.open_kernel import OpenKernel as Kernel

UNKNOWN = LoopContract((), (Invariant(1, TRUE, None),))  # a is written, with whatever values
INSIDE = (k.le(ZERO, m), k.lt(m, n))


def emptied(kernel: Kernel, state: State, contract: LoopContract, stored: bool = False) -> tuple[State, State]:
    """The start of the body and the state after a loop whose body is empty, or stores a[m] = 3."""
    body = kernel.enter_loop(state, contract)
    end = kernel.store(body, 1, (m,)) if stored else body
    return body, kernel.leave_loop(end, ((),) * len(contract.exclusive), ((),) * len(contract.invariant))


def test_facts_of_one_loop_are_not_known_in_the_next() -> None:
    """Both call their iteration by the same name."""
    kernel, state = begun(loop(bound=m), loop(bound=n))
    first, between = emptied(kernel, state, LoopContract())
    second = kernel.enter_loop(between, LoopContract())
    assert first.env[i] is second.env[i]
    assert kernel.judge.proves(first.facts, k.lt(first.env[i], m))
    assert not kernel.judge.proves(second.facts, k.lt(second.env[i], m))
    assert kernel.judge.proves(second.facts, k.lt(second.env[i], n))


def test_contents_of_one_loop_are_not_those_of_the_next() -> None:
    """The contents at the start of an iteration, after the loop, in the next loop and after that differ, whatever their names."""
    kernel, state = begun(loop(store(m)), loop(store(m)), requires=INSIDE)
    first, between = emptied(kernel, state, UNKNOWN, stored=True)
    second, after = emptied(kernel, between, UNKNOWN, stored=True)
    for s in (first, between, second, after):
        for value in (k.app(A, B0), THREE):
            assert isinstance(refused(kernel.restate, s, 1, TRUE, value, ()), WrongValue)
    assert isinstance(refused(kernel.restate, second, 1, TRUE, between.held[1].value, ()), WrongValue)
    assert isinstance(refused(kernel.restate, after, 1, TRUE, between.held[1].value, ()), WrongValue)


def test_an_iteration_that_has_ended_does_not_exist() -> None:
    kernel, state = begun(loop(), loop(store(i)))
    body, after = emptied(kernel, state, LoopContract())
    v = body.env[i]
    mentioned = k.ite(k.lt(v, B0), THREE, k.num(4, k.REAL))
    for s in (state, after):
        assert isinstance(refused(kernel.restate, s, 1, TRUE, mentioned, ()), OutOfOrder)
    assert isinstance(refused(kernel.enter_loop, after, LoopContract((each(n, mentioned),))), OutOfOrder)
    kernel.enter_loop(after, LoopContract((each(n),)))


def test_facts_of_a_contract_are_about_what_exists_before_the_loop() -> None:
    """The iteration itself is a binder of the contract, and no variable of it."""
    kernel, state = begun(loop(bound=m))
    v = kernel.enter_loop(state, LoopContract()).env[i]
    assert isinstance(refused(kernel.enter_loop, state, LoopContract(facts=(k.le(ZERO, v),))), OutOfOrder)
    assert isinstance(refused(kernel.enter_loop, state, LoopContract(facts=(k.le(ONE, B0),))), BrokenInvariant)
    kernel.enter_loop(state, LoopContract(facts=(k.le(ZERO, B0),)))


def test_a_pending_read_at_an_unknown_place_does_not_outlive_its_loop() -> None:
    """j is a variable of the body: after the loop, another variable may have its name."""
    j = k.var("j", INT)
    for place, kept in ((j, False), (i, True)):
        thread = kc.CountedLoop(i, ZERO, "<", k.num(6), "+", ONE, (kc.Havoc(j, (0, 5)), load(place)), kc.THREAD)
        kernel, state = launched(thread, requires=(k.eq(n, k.num(6)), k.le(ZERO, m)))
        body = kernel.choose(kernel.enter_loop(state, LoopContract(part=ONE)))
        end = kernel.load(body, 1, (body.env[place],))
        if kept:
            (read,) = kernel.leave_loop(end, (), ()).pending_reads
            assert not any(x in (body.env[i], body.env[j]) for t in read.cells.index for x in t.free)
        else:
            assert isinstance(refused(kernel.leave_loop, end, (), ()), OutOfOrder)


def test_values_of_variables_end_with_their_loop() -> None:
    """A name that the loop binds has no value afterwards, and the one that it had before if it had one."""
    for before in ((), (kc.Bind(m, n),)):
        kernel, state = begun(*before, loop(kc.Bind(m, i)), requires=(k.le(ZERO, n),))
        for _ in before:
            state = kernel.let(state)
        end = kernel.let(kernel.enter_loop(state, LoopContract()))
        assert end.value(m) is end.env[i]
        assert kernel.leave_loop(end, (), ()).value(m) is (n if before else m)
