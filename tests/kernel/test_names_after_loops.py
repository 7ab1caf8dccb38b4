"""After a loop, the variables of its iterations are gone: the next loop may introduce the same ones, and none is left behind."""

from __future__ import annotations

from dataclasses import replace

from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import OutOfOrder
from optigpu.kernel.loop_contract import Exclusive, Invariant, LoopContract
from optigpu.logic import terms as k
from optigpu.logic.cells import Cells
from optigpu.logic.terms import TRUE, ZERO
from tests.support.kernel_states import B0, KNOWN_A, THREE, begun, each, i, load, loop, n, refused, store

FILL = loop(store(i))


def test_loops_beside_each_other_have_the_same_iteration() -> None:
    kernel, state = begun(FILL, FILL, pre=(KNOWN_A,))
    v = state.iteration(i)
    body = kernel.enter_loop(state, LoopContract((each(n),)))
    after = kernel.leave_loop(kernel.store(body, max(body.held), ()), ((),), ())
    assert body.env[i] is v is after.iteration(i)
    assert not any(v in t.free for r in after.held.values() for t in (r.value, r.init, r.cells.where))
    assert not any(v in p.free for p in after.facts.assumptions)


def test_the_iteration_of_an_ended_loop_cannot_be_named() -> None:
    kernel, state = begun(FILL, loop(load(i)), pre=(KNOWN_A,))
    v = state.iteration(i)
    body = kernel.enter_loop(state, LoopContract((each(n),)))
    after = kernel.leave_loop(kernel.store(body, max(body.held), ()), ((),), ())
    first = Cells("a", ((ZERO, n),), TRUE, (v,))
    for contract in (
        LoopContract((Exclusive(1, first, (B0,), (B0,), TRUE, THREE),)),
        LoopContract(invariant=(Invariant(1, TRUE, k.to_real(v)),)),
        LoopContract(facts=(k.le(ZERO, v),)),
    ):
        assert isinstance(refused(kernel.enter_loop, after, contract), OutOfOrder)
    assert isinstance(refused(kernel.restate, after, 1, TRUE, k.to_real(v), ()), OutOfOrder)


def test_unknown_contents_of_loops_beside_each_other_differ() -> None:
    """What one loop left in an array is not what the next one left there."""
    unknown = LoopContract((replace(each(n), value=None),))
    kernel, state = begun(FILL, FILL, pre=(KNOWN_A,))
    contents = []
    for _ in range(2):
        body = kernel.enter_loop(state, unknown)
        state = kernel.leave_loop(kernel.store(body, max(body.held), ()), ((),), ())
        contents.append(state.held[1].value)
    first, second = (x.free - {n} for x in contents)
    assert first and second and not first >= second


def test_contents_introduced_inside_are_introduced_again() -> None:
    """A loop inside a loop names contents of its own; after the outer one, these names are free."""
    inner = loop(store(k.var("j", k.INT)))
    inner = kc.CountedLoop(k.var("j", k.INT), ZERO, "<", n, "+", k.ONE, inner.body)
    outer = loop(inner)
    kernel, state = begun(outer, outer, pre=(KNOWN_A,))
    contract = LoopContract(invariant=(Invariant(1, TRUE, None),))
    for _ in range(2):
        before = state.held[1].value.free
        body = kernel.enter_loop(state, contract)
        inside = kernel.enter_loop(body, contract)
        end = kernel.leave_loop(kernel.store(inside, 1, (inside.env[k.var("j", k.INT)],)), (), ((),))
        state = kernel.leave_loop(end, (), ((),))
        assert not (state.held[1].value.free - {n}) & before  # what it left is not what was there before it
