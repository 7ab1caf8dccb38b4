"""The kernel's rules without the seal, so that a test can apply them to states that it builds itself."""

from __future__ import annotations

from functools import partial
from typing import Any

from optigpu.kernel import Kernel, State
from optigpu.kernel.instructions import KernelProgram
from optigpu.kernel.ledger import LedgerEntries
from optigpu.kernel.loop_contract import EnteredLoop
from optigpu.kernel.sealed import RULES
from optigpu.kernel.side_conditions import SideConditions
from optigpu.logic.judge import ObligationJudge


class OpenKernel(Kernel):
    """The rules, applicable to any state. A result is only as sound as the state that the test built."""

    def __init__(self, judge: ObligationJudge, program: KernelProgram, ledger: LedgerEntries) -> None:
        self.conditions = SideConditions(judge, program, ledger)
        own: dict[str, Any] = {"judge": judge, "program": program, "ledger": ledger}
        vars(self).update(own, **{name: partial(rule, self.conditions) for name, rule in RULES.items()})

    def of_program(self, program: KernelProgram) -> OpenKernel:
        """The rules for another program, with the same judge and ledger."""
        return OpenKernel(self.conditions.judge, program, self.conditions.ledger)


def entered_loop(state: State) -> EnteredLoop:
    """The loop in whose body the state is."""
    assert isinstance(state.block.opened_by, EnteredLoop)
    return state.block.opened_by
