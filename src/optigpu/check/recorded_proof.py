"""Proofs as data: the rules of the kernel that were called, with their arguments, and how to call them again.

A theorem comes out of a replay only if the kernel accepts every call, whatever the record says.
"""

from __future__ import annotations

from collections.abc import Callable

from optigpu.kernel import Judge, Kernel, Ledger, State, Theorem
from optigpu.kernel.instructions import KernelProgram
from optigpu.light_dataclass import dataclass

RECORDED_RULES = (
    "begin", "finish", "let", "choose", "load", "store", "allocate", "free", "oblige", "assertion", "ghost",
    "tidy", "enter_if", "join_if", "enter_loop", "leave_loop", "unroll", "call",
    "collect", "accumulate", "barrier", "shuffle", "restate", "gather", "name", "unfold", "inverse", "forget", "launch", "phase",
    "multiply_tiles", "reduce_rows", "copy_tile", "await_stage",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class StateRef:
    """A state, by its number in the order in which states were made."""

    number: int


@dataclass(frozen=True, slots=True)
class RuleCall:
    """A rule, its arguments (states by reference), and the numbers of the states that it made."""

    rule: str
    args: tuple[object, ...]
    makes: tuple[int, ...]


class RecordingKernel(Kernel):
    """The kernel, with every accepted rule written down."""

    def __init__(self, judge: Judge, program: KernelProgram, ledger: Ledger) -> None:
        super().__init__(judge, program, ledger)
        self.tape: list[RuleCall] = []
        self._states: list[State] = []
        self._numbers: dict[int, int] = {}
        vars(self).update({rule: self._recorded(rule) for rule in RECORDED_RULES})

    def _recorded(self, rule: str) -> Callable[..., object]:
        original: Callable[..., object] = getattr(self, rule)

        def call(*args: object) -> object:
            result = original(*args)
            self.note(rule, args, result)
            return result

        return call

    def note(self, rule: str, args: tuple[object, ...], result: object) -> None:
        made = result if type(result) is tuple else (result,)
        numbers = []
        for s in made:
            if isinstance(s, State):
                self._numbers[id(s)] = len(self._states)
                numbers.append(len(self._states))
                self._states.append(s)
        refs = tuple(StateRef(self._numbers[id(a)]) if isinstance(a, State) else a for a in args)
        self.tape.append(RuleCall(rule, refs, tuple(numbers)))

    def number_of(self, state: State) -> int:
        """The number of a state that a rule of this kernel made."""
        return self._numbers[id(state)]

    def proof(self) -> list[RuleCall]:
        """The calls that led to the theorem, without attempts that were given up."""
        if not self.tape or self.tape[-1].rule != "finish":
            return []
        needed: set[int] = set()
        out: list[RuleCall] = []
        for call in reversed(self.tape):
            if call.rule == "finish" or needed & set(call.makes):
                needed |= {a.number for a in call.args if isinstance(a, StateRef)}
                out.append(call)
        return out[::-1]


def replay_proof(kernel: Kernel, calls: list[RuleCall]) -> Theorem:
    """Call the rules of a proof again. Raises what the rules raise, and ValueError if there is no theorem in the end."""
    states: dict[int, State] = {}
    for call in calls:
        if call.rule not in RECORDED_RULES:
            raise ValueError(f"{call.rule} is not a rule")
        args = [states[a.number] if isinstance(a, StateRef) else a for a in call.args]
        result = getattr(kernel, call.rule)(*args)
        if isinstance(result, Theorem):
            return result
        made = result if type(result) is tuple else (result,)
        if len(made) != len(call.makes):
            raise ValueError("a rule made another number of states than the certificate says")
        states.update(zip(call.makes, made))
    raise ValueError("the certificate ends before the proof does")
