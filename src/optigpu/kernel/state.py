"""Proof states: what is known and held at a point of a program. Only those that the kernel keeps count (kernel/sealed.py).

A state holds families of cells by number, facts, the values of the program's variables, and the instructions still to be executed
in the current block. A block (the body of a function or loop, a branch) remembers what its end is to be compared with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from optigpu.kernel.context import Context, PendingRead
from optigpu.kernel.instructions import Instruction, Instructions, Limits
from optigpu.logic.cells import CellFamily, Terms
from optigpu.logic.facts import Facts
from optigpu.logic.records import record
from optigpu.logic.terms import ZERO, Sort, Term, substitute, var


class Rejected(Exception):
    """A side condition of a rule does not hold, or could not be shown."""

    def __init__(self, rule: str, why: str, facts: Facts | None = None, goal: Term | None = None, **data: Any) -> None:
        super().__init__(f"{rule}: {why}")  # a goal has a text that may be longer than any memory
        self.rule, self.why, self.facts, self.goal, self.data = rule, why, facts, goal, data


@record
class Base:
    """What a base is: the sort of its elements, its sizes as far as known, where it lives, and whether it is to be freed."""

    sort: Sort
    dims: tuple[Term | None, ...]
    space: str
    heap: bool
    bytes: Term = ZERO  # of shared memory that it takes in a block
    limits: Limits = None  # what its elements can be: every cell that has been written holds such a number


@dataclass(frozen=True, slots=True, eq=False)
class OpenBlock:
    """Identity of a block being executed, with the state before it and the rule that opened it."""

    kind: str
    before: State | None
    data: Any
    token: object = field(default_factory=object)  # is this block, for those who may not have it


@record
class State:
    facts: Facts
    env: Mapping[Term, Term]
    held: Mapping[int, CellFamily]
    bases: Mapping[str, Base]
    code: Instructions
    block: OpenBlock
    counter: int  # for names and family numbers that occur nowhere else
    context: Context
    pending_reads: tuple[PendingRead, ...]  # what threads have read since the last barrier

    def value(self, t: Term) -> Term:
        """A term of the program at this point."""
        return substitute(t, self.env)

    def values(self, ts: Terms) -> Terms:
        return tuple(self.value(t) for t in ts)

    @property
    def next(self) -> Instruction | None:
        return self.code[0] if self.code else None

    def fresh(self, stem: str, sort: Sort) -> Term:
        """The variable that the next rule may introduce under this name."""
        return var(f"{stem}#{self.counter}", sort)


def first_state(
    facts: Facts, bases: Mapping[str, Base], code: Instructions, block: OpenBlock, counter: int, c: Context
) -> State:
    return State(facts, {}, {}, bases, code, block, counter, c, ())


changed = replace  # for rules: the state with some fields replaced
