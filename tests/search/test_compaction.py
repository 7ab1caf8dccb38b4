"""A loop that writes b[c] and counts c under a condition fills b up to the count, and no further."""

from __future__ import annotations

from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import WrongValue
from optigpu.kernel.loop_contract import Invariant, LoopContract
from optigpu.logic import terms as k
from optigpu.logic.terms import INT, ONE, TRUE, ZERO
from tests.support.kernel_states import B0, begun, loop, refused


def test_what_is_known_at_the_end_of_a_body_was_shown() -> None:
    """The value of a variable at v + 1 is a fact for later invariants only where the body makes it that."""
    i, x = k.var("i", INT), kc.CellAddress("x", ())
    start = (kc.Allocate("x", INT, (), heap=False), kc.StoreCell(x, ZERO))
    kernel, state = begun(*start, loop(kc.StoreCell(x, k.add(i, ONE))), pre=())
    state = kernel.store(kernel.allocate(state), 1, ())
    good = Invariant(1, TRUE, B0)
    end = kernel.store(kernel.enter_loop(state, LoopContract((), (good,))), 1, ())
    kernel.leave_loop(end, (), ((),))
    wrong = Invariant(1, TRUE, k.mul(B0, B0))
    end = kernel.store(kernel.enter_loop(state, LoopContract((), (wrong,))), 1, ())
    assert isinstance(refused(kernel.leave_loop, end, (), ((),)), WrongValue)
