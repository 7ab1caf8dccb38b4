"""Invariants that give values to some cells of a family (`known`): of the others they say nothing."""

from __future__ import annotations

from typing import Any

import pytest

from optigpu.kernel import State
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import WrongValue
from optigpu.kernel.loop_contract import Invariant, LoopContract
from optigpu.logic import terms as k
from optigpu.logic.facts import Facts
from optigpu.logic.terms import ONE, TRUE, ZERO, Term
from tests.support.kernel_states import B0, B1, THREE, A, begun, i, loop, n, refused
from tests.support.model import contents, environments

STORE = kc.StoreCell(kc.CellAddress("a", (i,)), THREE)  # a[i] = 3
AS_IT_WAS = k.app(A, B0)  # in an invariant, B1 is the iteration v and B0 the index of the cell
TAIL, HEAD = k.le(B1, B0), k.lt(B0, B1)


def invariant(value: Term, known: Term) -> LoopContract:
    return LoopContract((), (Invariant(1, TRUE, value, known=known),))


def after(contract: LoopContract) -> State:
    """After for (i = 0; i < n; i++) a[i] = 3;"""
    kernel, start = begun(loop(STORE))
    body = kernel.enter_loop(start, contract)
    end = kernel.store(body, 1, (body.env[i],))
    return kernel.leave_loop(end, (), ((),))


def models(facts: Facts) -> list[dict[str, Any]]:
    return list(environments(("n", "m"), range(-1, 5), facts, {"A": lambda at: at * 7 % 5 + 1}))


def test_the_value_of_the_first_cells_is_known() -> None:
    state = after(invariant(THREE, HEAD))
    for env in models(state.facts):
        assert contents(state.held[1], env) == {(at,): 3 for at in range(env["n"])}


def test_of_the_other_cells_nothing_is_known() -> None:
    """In iteration v, a[v..] is as it was. After the loop, this speaks of no cell."""
    kernel, start = begun(loop(STORE))
    body = kernel.enter_loop(start, invariant(AS_IT_WAS, TAIL))
    v, held = body.env[i], body.held[1]
    for at, known in ((v, True), (k.sub(n, ONE), True), (k.sub(v, ONE), False), (ZERO, False)):
        assert kernel.judge.proves(body.facts, k.eq(k.instantiate(held.value, (at,)), k.app(A, at))) == known
    end = after(invariant(AS_IT_WAS, TAIL))
    value = k.instantiate(end.held[1].value, (ZERO,))
    assert not kernel.judge.proves(end.facts.assume(k.lt(ZERO, n)), k.eq(value, k.app(A, ZERO)))
    assert not kernel.judge.proves(end.facts.assume(k.lt(ZERO, n)), k.eq(value, THREE))


@pytest.mark.parametrize(
    ("value", "known"),
    [
        (AS_IT_WAS, TRUE),  # a[0] is 3 in iteration 1
        (AS_IT_WAS, k.le(B1, k.add(B0, ONE))),  # so is a[v - 1]
        (THREE, k.le(B0, B1)),  # a[0] is not 3 in iteration 0
        (THREE, TAIL),
        (k.app(A, k.add(B0, ONE)), TAIL),
    ],
)
def test_values_of_cells_that_do_not_hold_them_are_refused(value: Term, known: Term) -> None:
    assert isinstance(refused(after, invariant(value, known)), WrongValue)


def test_what_is_known_is_a_condition() -> None:
    kernel, start = begun(loop(STORE))
    with pytest.raises(TypeError):
        kernel.enter_loop(start, invariant(AS_IT_WAS, B0))
