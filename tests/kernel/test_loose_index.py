"""A bound index outside its binder has no value, so no rule accepts it."""

from __future__ import annotations

import pytest

from optigpu.kernel import instructions as kc
from optigpu.logic import terms as k
from optigpu.logic.equality import Case, Into, Maximum
from optigpu.logic.terms import INT, ONE, TRUE, ZERO, Term
from tests.support.kernel_states import B0, begun, n


def test_a_loose_index_is_not_one_number() -> None:
    """In one case `^0 <= 4` all of the first summands are 1 and all of the second 0, in the other it is the other way round."""
    low, high = (k.ite(c, ONE, ZERO) for c in (k.le(B0, k.num(4)), k.le(k.num(5), B0)))
    product = k.mul(*(k.big("sum", ZERO, n, t) for t in (low, high)))
    goal = k.eq(product, ZERO)  # it is 5 * (n - 5)

    def becomes(old: Term, new: Term) -> Maximum:
        here = (Into(0, TRUE, 0, ()),)
        return Maximum(old, new, (here, here), ((Into(0, TRUE, 0 if new is ONE else 1, ()),),))

    case = Case(
        k.le(B0, k.num(4)),
        (becomes(low, ONE), becomes(high, ZERO)),
        (becomes(low, ZERO), becomes(high, ONE)),
    )
    kernel, state = begun(kc.Assertion(goal), requires=(k.le(k.num(10), n),))
    with pytest.raises(TypeError, match="loose"):
        kernel.assertion(state, (case,))
    i = k.var("i", INT)
    assert kernel.judge.proves(state.facts, k.le(i, k.add(i, ONE)))
    assert not kernel.judge.proves(state.facts, k.eq(k.add(B0, k.fdiv(B0, n)), ZERO))
