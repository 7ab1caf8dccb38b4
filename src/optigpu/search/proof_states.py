"""The states that a proof goes through, kept on request for people to look at.

They are found by the number of a statement, in the order of the text of its function, from 1; 0 is the function itself.
"""

from __future__ import annotations

from dataclasses import field

from optigpu.kernel import State
from optigpu.kernel import instructions as kc
from optigpu.light_dataclass import dataclass


@dataclass
class ProofStates:
    """The state `before` each statement, and at the `end` of its body (of the first branch, for an if).

    Of a failed proof, the states before the failure.
    """

    statements: list[int]  # by the `at` of instructions
    code: kc.Instructions
    before: dict[int, State] = field(default_factory=dict)
    end: dict[int, State] = field(default_factory=dict)

    def record(self, state: State) -> None:
        """Keep the state for the first instruction of a statement; of an unrolled loop, for the first iteration."""
        if state.next is not None:
            self.before.setdefault(self.statements[state.next.at], state)
            return
        enclosing = state.block.before
        at = 0 if enclosing is None or enclosing.next is None else enclosing.next.at
        self.end.setdefault(self.statements[at], state)

    def moved(self, statements: list[int], code: kc.Instructions) -> ProofStates:
        """Transfer the states to equal code that belongs to other statements."""
        new = {self.statements[a]: statements[b] for a, b in zip(_places(self.code), _places(code))}
        new[0] = 0
        before = {new[n]: s for n, s in self.before.items() if n in new}
        return ProofStates(statements, code, before, {new[n]: s for n, s in self.end.items() if n in new})


def _places(code: kc.Instructions) -> list[int]:
    return [i.at for i in kc.instructions_in(code)]
