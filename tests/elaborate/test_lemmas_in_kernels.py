"""Threads may use a proved lemma as the host does: it adds a fact, and no code is executed for it."""

from __future__ import annotations

from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import WrongContext
from optigpu.logic import terms as k
from optigpu.logic.terms import ZERO
from tests.support.kernel_states import launched, n, refused


def test_only_lemmas_that_hold_no_memory_are_used_anywhere() -> None:
    """What is called a lemma and has parameters is a function of the host, as one without that name is."""
    holds = kc.ProcedureContract((), (), (), (), (k.le(ZERO, ZERO),))
    size = kc.Parameter("m", k.INT)
    for lemma, params, accepted in ((True, (), True), (False, (), False), (True, (size,), False)):
        g = kc.Procedure("g", params, holds, (), admitted=True, lemma=lemma)
        kernel, state = launched(kc.Invoke(None, "g", (n,) * len(params)), others=(g,))
        if accepted:
            kernel.call(state, (), (), ((),) * 0)
        else:
            assert isinstance(refused(kernel.call, state, (), (), ()), WrongContext)
