"""Claims on neighbouring parts of an array are held as one where a loop, an access, a call or the postcondition spans them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import MissingPermission, NotOwner, OutOfOrder, Overlap, WrongShape
from optigpu.kernel.context import PendingRead
from optigpu.kernel.side_conditions import Take
from optigpu.kernel.state import changed
from optigpu.logic import terms as k
from optigpu.logic.cells import READ, SOME, UNINIT, CellClaim, Cells, Owner
from optigpu.logic.names import read_name
from optigpu.logic.terms import INT, ONE, TRUE, ZERO
from tests.support.kernel_states import B0, SIZES, begun, launched, m, n, refused

# The rule by itself: what no honest search would ask for

LOW, HIGH = (Cells("a", (r,), TRUE, (B0,)) for r in ((ZERO, m), (m, n)))
WHOLE = Cells("a", ((ZERO, n),), TRUE, (B0,))
FIRST = k.lt(B0, m)
BOTH = (Take(1, (B0,), (B0,)), Take(2, (B0,), (B0,)))
ORDERED = (*SIZES, k.le(m, n))


def two(*code: kc.Instruction, **about: Any) -> Any:
    return begun(*code, pre=(CellClaim(LOW, SOME), CellClaim(HIGH, SOME)), requires=ORDERED, **about)


def test_gather_makes_one_family_of_two() -> None:
    kernel, state = two()
    after = kernel.gather(state, WHOLE, FIRST, BOTH)
    assert [r.cells for r in after.held.values()] == [WHOLE]
    only_some = replace(WHOLE, ranges=((ZERO, k.sub(n, ONE)),))
    kernel, state = begun(pre=(CellClaim(LOW, SOME), CellClaim(HIGH, SOME)), requires=(*ORDERED, k.lt(m, n)))
    kept = kernel.gather(state, only_some, FIRST, BOTH)
    assert len(kept.held) == 2  # the last cell is still in the second family
    assert isinstance(refused(kernel.gather, kept, WHOLE, FIRST, BOTH), MissingPermission)


def test_gather_takes_no_cell_that_is_not_there() -> None:
    kernel, state = two()
    wider = replace(WHOLE, ranges=((ZERO, k.add(n, ONE)),))
    earlier = replace(WHOLE, ranges=((k.num(-1), n),))
    for cells, test in ((wider, FIRST), (earlier, FIRST), (WHOLE, k.le(B0, m)), (WHOLE, TRUE), (WHOLE, k.FALSE)):
        assert isinstance(refused(kernel.gather, state, cells, test, BOTH), MissingPermission)
    assert isinstance(refused(kernel.gather, state, WHOLE, FIRST, BOTH[::-1]), MissingPermission)
    assert isinstance(refused(kernel.gather, state, replace(WHOLE, base="b"), FIRST, BOTH), MissingPermission)
    assert isinstance(refused(kernel.gather, state, WHOLE, FIRST, (BOTH[0], Take(7, (B0,), (B0,)))), MissingPermission)


def test_gather_takes_no_cell_twice() -> None:
    kernel, state = two()
    twice = Cells("a", ((ZERO, n), (ZERO, k.num(2))), TRUE, (k.bound(1, INT),))
    forward, back = (k.bound(1, INT),), (B0, ZERO)
    takes = (Take(1, forward, back), Take(2, forward, back))
    assert isinstance(refused(kernel.gather, state, twice, k.lt(k.bound(1, INT), m), takes), Overlap)
    folded = Cells("a", ((ZERO, k.mul(k.num(2), m)),), TRUE, (k.sub(B0, k.ite(FIRST, ZERO, m)),))
    same_cells = (Take(1, (B0,), (B0,)), Take(1, (k.sub(B0, m),), (k.add(B0, m),)))
    assert isinstance(
        refused(kernel.gather, state, folded, FIRST, same_cells), MissingPermission
    )  # the first half is gone by then


def test_gather_keeps_what_cells_hold() -> None:
    """Each half keeps its own contents, and what is not written in one is not written."""
    claims = (CellClaim(LOW, SOME), CellClaim(HIGH, UNINIT))
    kernel, state = begun(pre=claims, requires=ORDERED)
    after = kernel.gather(state, WHOLE, FIRST, BOTH)
    (whole,) = after.held.values()
    b = k.var("j", INT)
    low, high = state.facts.assume(k.lt(b, m)), state.facts.assume(k.le(m, b))
    first, second = state.held[1], state.held[2]
    assert low.simplify(whole.value_at((b,))) is first.value_at((b,)) and low.simplify(whole.init_at((b,))) is TRUE
    assert (
        high.simplify(whole.value_at((b,))) is second.value_at((b,)) and high.simplify(whole.init_at((b,))) is k.FALSE
    )


def test_gather_is_for_what_is_held_in_full_and_seen_by_all() -> None:
    kernel, state = begun(pre=(CellClaim(LOW, SOME, share=READ), CellClaim(HIGH, SOME)), requires=ORDERED)
    assert isinstance(refused(kernel.gather, state, WHOLE, FIRST, BOTH), MissingPermission)
    kernel, state = launched(pre=(CellClaim(LOW, SOME), CellClaim(HIGH, SOME)), requires=ORDERED)
    kernel.gather(state, WHOLE, FIRST, BOTH)
    for number in (1, 2):
        owned = changed(state, held={**state.held, number: replace(state.held[number], owner=Owner(ZERO, ONE))})
        assert isinstance(refused(kernel.gather, owned, WHOLE, FIRST, BOTH), NotOwner)
        marked = changed(state, pending_reads=(PendingRead(number, state.held[number].cells, Owner(ZERO, ONE)),))
        assert isinstance(refused(kernel.gather, marked, WHOLE, FIRST, BOTH), NotOwner)


def test_gather_is_told_closed_terms_of_what_exists() -> None:
    kernel, state = two()
    for name in ("b?0", "a#9"):
        test = k.lt(B0, k.var(read_name(name), INT))
        assert isinstance(refused(kernel.gather, state, WHOLE, test, BOTH), OutOfOrder)
    assert isinstance(refused(kernel.gather, state, WHOLE, k.lt(k.bound(1, INT), m), BOTH), WrongShape)
    loose = replace(WHOLE, ranges=((ZERO, k.bound(0, INT)),))
    with pytest.raises(TypeError):
        kernel.gather(state, loose, FIRST, BOTH)
