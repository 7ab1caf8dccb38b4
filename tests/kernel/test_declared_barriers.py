"""Calls of barriers that are declared by their contract alone: what they synchronise, and who may be one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from optigpu.kernel import Kernel, State
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import NotOwner, WrongContext, WrongGroup, WrongShape
from optigpu.logic import terms as k
from optigpu.logic.terms import INT, ZERO
from tests.support.kernel_states import SIX, begun, launched, load, refused, store, threads, written_by_threads

NOTHING = kc.ProcedureContract((), (), (), (), ())
BARRIER = kc.Procedure(
    "g", (), NOTHING, (), admitted=True, device=True, threads=k.num(6), synchronises=("GMem", "SMem")
)
CALL = kc.Invoke(None, "g", ())


def after_barrier(barrier: kc.Procedure, **about: Any) -> tuple[Kernel, State]:
    """Six threads write a cell of global memory each; then the barrier; then all of them load a[0]."""
    code = (threads("t", 6, store(k.var("t", INT))), CALL, load(ZERO))
    kernel, state = launched(*code, requires=SIX, others=(barrier,), **about)
    return kernel, kernel.call(written_by_threads(kernel, state), (), (), ())


def test_a_declared_barrier_synchronises_what_its_group_holds() -> None:
    kernel, state = after_barrier(BARRIER)
    kernel.load(state, 1, (ZERO,))
    assert kernel.ledger.admitted == {"g"}


def test_other_memory_is_not_synchronised() -> None:
    kernel, state = after_barrier(replace(BARRIER, synchronises=("SMem",)))
    assert isinstance(refused(kernel.load, state, 1, (ZERO,)), NotOwner)
    kernel, state = after_barrier(replace(BARRIER, synchronises=()))
    assert isinstance(refused(kernel.load, state, 1, (ZERO,)), NotOwner)


@pytest.mark.parametrize("memory", [("TReg",), ("GMem", "TReg"), ("Any",), ("Device",)])
def test_no_function_synchronises_registers_or_memory_that_is_not_known(memory: tuple[str, ...]) -> None:
    with pytest.raises(Exception) as e:
        after_barrier(replace(BARRIER, synchronises=memory))
    assert isinstance(getattr(e.value, "cause", None), WrongShape)


def test_a_function_with_a_proof_is_no_barrier() -> None:
    """No rule proves that code orders threads, so that a theorem about it says nothing of the kind."""
    proved = replace(BARRIER, admitted=False)
    code = (threads("t", 6, store(k.var("t", INT))), CALL)
    kernel, state = launched(*code, requires=SIX, others=(proved,))
    kernel.finish(kernel.begin("g", ()), (), ())
    assert isinstance(refused(kernel.call, written_by_threads(kernel, state), (), (), ()), WrongShape)


def test_a_host_function_is_no_barrier() -> None:
    kernel, state = begun(CALL, others=(replace(BARRIER, device=False),))
    assert isinstance(refused(kernel.call, state, (), (), ()), WrongShape)
    kernel, state = begun(CALL, others=(BARRIER,))
    assert isinstance(refused(kernel.call, state, (), (), ()), WrongContext)


def test_the_group_has_the_size_of_the_contract() -> None:
    with pytest.raises(Exception) as e:
        after_barrier(replace(BARRIER, threads=k.num(3)))
    assert isinstance(getattr(e.value, "cause", None), WrongGroup)
