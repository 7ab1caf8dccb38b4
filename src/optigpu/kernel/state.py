"""Proof states: what is known and held at a point of a program. Only those that the kernel keeps count (kernel/sealed.py).

A state holds facts F, families of cells H by number, the values of the program's variables, pending reads, and the instructions
still to be executed in the current block. Rules are written in the style of Hoare:

    {F; H} i {F'; H'}   in any memory that F and H describe, i makes no error, and afterwards F' and H' describe the memory
    F |- p              the judge proves p from the facts F
    r = {a[e(b)] | b}   a family: for each b in its domain the cell a[e(b)] is held, with value r.value(b) where r.init(b)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TypeAlias

from optigpu.kernel.context import Context, PendingReads
from optigpu.kernel.fragment_layouts import Layout
from optigpu.kernel.instructions import Instruction, Instructions, Limits, Procedure, TileView
from optigpu.kernel.loop_contract import EnteredLoop
from optigpu.light_dataclass import dataclass, replace
from optigpu.logic.cells import CellFamily, Terms
from optigpu.logic.facts import Facts
from optigpu.logic.records import record
from optigpu.logic.terms import INT, ZERO, Sort, Term, rule_var, substitute

Families: TypeAlias = Mapping[int, CellFamily]
NUMBERS_OF_A_BLOCK = 1000


@record
class Base:
    """An array or variable: the sort of its elements, its sizes as far as known, where it lives, and whether it must be freed."""

    sort: Sort
    dims: tuple[Term | None, ...]
    space: str
    heap: bool
    bytes: Term = ZERO  # of shared memory that it takes in a block
    limits: Limits = None  # of its elements: every cell that has been written holds such a number
    layout: tuple[Layout, int] | None = None  # of fragments: that of their group, and how many indices it depends on


@record
class TakenBranch:
    """A branch: its condition, and the number of facts at its start."""

    condition: Term
    facts_before: int


@dataclass(frozen=True, slots=True, eq=False)
class OpenBlock:
    """A block of code being executed: the body of a function or loop, or a branch, with the state before it."""

    opened_by: Procedure | TakenBranch | EnteredLoop
    before: State | None
    token: object = field(default_factory=object)  # stands for this block in places where a state must not be reachable

    @property
    def depth(self) -> int:
        """The number of blocks around it."""
        return 0 if self.before is None else self.before.block.depth + 1


@record
class Pipeline:
    """A pipelined loop whose body is being executed (pipeline_rules.py)."""

    stages: int
    home: object  # the token of the body
    ahead: bool  # is this the part that may run ahead?
    arrays: tuple[
        tuple[str, Term], ...
    ]  # shared arrays that this part has made, with the bytes of all stages, in the rest
    hidden: tuple[tuple[int, CellFamily], ...]  # what the loop changes, which the first part does not see
    reads: PendingReads  # of these
    around: Pipeline | None


@record
class State:
    facts: Facts
    env: Mapping[Term, Term]
    held: Families
    bases: Mapping[str, Base]
    code: Instructions
    block: OpenBlock
    counter: int  # the number of the next family
    names: Mapping[str, int]  # by stem, the number of the next variable that a rule introduces
    context: Context
    pending_reads: PendingReads
    definitions: Mapping[Term, Term]  # of names that stand for contents (contents_rules.py, `name`)
    pipeline: Pipeline | None = None  # the innermost one around

    def value(self, t: Term) -> Term:
        """The value of a term of the program at this point."""
        return substitute(t, self.env)

    def values(self, ts: Terms) -> Terms:
        return tuple(self.value(t) for t in ts)

    def tile(self, view: TileView) -> TileView:
        return TileView(view.base, self.values(view.lead), self.value(view.row), self.value(view.col))

    @property
    def next(self) -> Instruction | None:
        return self.code[0] if self.code else None

    def fresh(self, stem: str, sort: Sort) -> Term:
        """The variable that the next rule may introduce for this local name."""
        return rule_var(stem, take_number(dict(self.names), stem, self.block.depth), sort)

    def iteration(self, index: Term) -> Term:
        """The variable that the rule for a loop introduces for an iteration, which belongs to the body."""
        stem = str(index.data)
        return rule_var(stem, take_number(dict(self.names), stem, self.block.depth + 1), INT)


def first_state(
    facts: Facts, bases: Mapping[str, Base], code: Instructions, block: OpenBlock, counter: int, c: Context
) -> State:
    return State(facts, {}, {}, bases, code, block, counter, {}, c, (), {})


def take_number(names: dict[str, int], stem: str, depth: int) -> int:
    """A number that no variable with this stem has. Other stems do not matter, so that a proof has the same names after a change
    elsewhere; in inner blocks numbers are larger, since their variables are eliminated first."""
    number = max(names.get(stem, 1), depth * NUMBERS_OF_A_BLOCK)
    names[stem] = number + 1
    return number


changed = replace  # for rules: the state with some fields replaced
