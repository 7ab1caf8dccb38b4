"""Programs as the kernel sees them: straight-line instructions over terms, with loops and branches.

Expressions have been flattened: every load is an instruction, every partial operation has its obligation, pointers are resolved
to a base and an index, and early ends are branches. `at` is a number by which the checker finds the place in the source.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from optigpu.logic.cells import CellClaim, Terms
from optigpu.logic.records import record
from optigpu.logic.terms import ONE, Sort, Term

HOST_MEMORY, GLOBAL, SHARED, REGISTER, DEVICE = "Any", "GMem", "SMem", "TReg", "Device"
SEQUENTIAL, PARALLEL, THREAD, MAGIC_THREAD = "sequential", "parallel", "thread", "magic thread"
Limits: TypeAlias = tuple[int, int] | None  # the least and greatest number of a machine type; None: any number


@record
class Place:
    base: str
    index: Terms


@record
class View:
    """A pointer argument: element (i, j, …) is the base's element (*lead, shift + i, j, …)."""

    base: str
    lead: Terms
    shift: Term


@dataclass(frozen=True, slots=True, kw_only=True)
class _Instr:
    at: int = field(default=0, compare=False)


@record
class Let(_Instr):
    """`bits`: the value modulo 2^bits, as C computes unsigned numbers."""

    target: Term
    value: Term
    bits: int = 0


@record
class Choose(_Instr):
    """A value of which only its sort is known, and its limits: what a comparison of floats says, say."""

    target: Term
    limits: Limits = None


@record
class Load(_Instr):
    target: Term
    place: Place


@record
class Store(_Instr):
    place: Place
    value: Term


@record
class Alloc(_Instr):
    """An array on the heap, or (`heap` false) a local variable or array. A scalar has no dimensions.

    `distributed`: each block (SMem) or thread (TReg) of the current group has a copy, numbered by a first dimension.
    """

    base: str
    sort: Sort
    dims: Terms
    space: str = "Any"
    heap: bool = True
    distributed: bool = False
    bytes: int = 0  # of an element
    limits: Limits = None  # of an element


@record
class Free(_Instr):
    """`free(p)`, or the end of a local's scope."""

    base: str
    heap: bool = True


@record
class Oblige(_Instr):
    """A condition without which the next operation has no meaning: a non-zero divisor, divisibility, a shift's range."""

    prop: Term
    why: str


@record
class Assert(_Instr):
    prop: Term


@record
class If(_Instr):
    """Variables that both branches define are defined after it."""

    test: Term
    then: Code
    other: Code


@record
class Loop(_Instr):
    """`for (index = start; index relation bound; index op= amount)`, with op + or - and a positive amount, or geometric."""

    index: Term
    start: Term
    relation: str
    bound: Term
    op: str
    amount: Term
    body: Code
    mode: str = SEQUENTIAL


@record
class Call(_Instr):
    target: Term | None
    function: str
    args: tuple[Term | View, ...]


@record
class Ghost(_Instr):
    """A proof step: the entailment `pre |- post`, with everything already instantiated."""

    name: str
    requires: tuple[Term, ...]
    pre: tuple[CellClaim, ...]
    post: tuple[CellClaim, ...]
    ensures: tuple[Term, ...]


@record
class Launch(_Instr):
    """`kernel_launch(grid, block, shared)`: numbers of blocks, of threads in a block, of bytes of shared memory in a block."""

    grid: Term
    block: Term
    shared: Term


@record
class Phase(_Instr):
    """The next phase of a kernel: `threads` (the setup ends), `teardown`, `host` (the kernel ends)."""

    to: str


@record
class Barrier(_Instr):
    """`blocksync()` or `warpsync()`."""

    level: str


@record
class Shuffle(_Instr):
    """`shfl_down(to, from, amount)` and the like: lane l of a warp gets in to[l] what another lane has in from[…]."""

    op: str
    target: View
    source: View
    amount: Term


Instr: TypeAlias = (
    Let
    | Choose
    | Load
    | Store
    | Alloc
    | Free
    | Oblige
    | Assert
    | If
    | Loop
    | Call
    | Ghost
    | Launch
    | Phase
    | Barrier
    | Shuffle
)
Code: TypeAlias = tuple[Instr, ...]


@record
class Param:
    """A scalar (a variable) or an array: its base, the sort of its elements, and its sizes as far as they are declared."""

    name: str
    sort: Sort
    dims: tuple[Term | None, ...] | None = None
    space: str = "Any"
    bytes: int = 0  # of an element of an array
    limits: Limits = None  # of an element of an array


@record
class Contract:
    """What a function asks for and gives. `variables` are its logical variables, `result` the variable of its result."""

    variables: tuple[Term, ...]
    requires: tuple[Term, ...]
    pre: tuple[CellClaim, ...]
    post: tuple[CellClaim, ...]
    ensures: tuple[Term, ...]
    result: Term | None = None


@record
class Function:
    name: str
    params: tuple[Param, ...]
    contract: Contract
    body: Code
    admitted: bool = False
    device: bool = False  # called by threads of a kernel
    threads: Term = ONE  # how many of them call a device function together
    primitive: bool = False  # what it does is defined by its contract
    lemma: bool = False  # a proof: it is not executed where it is used


@record
class Program:
    """Functions by name, and what is assumed of logical functions: named axioms."""

    functions: dict[str, Function]
    axioms: tuple[tuple[str, Term], ...] = ()
    unbounded: bool = False  # numbers that are not shown to fit their place are assumed to, and the ledger says where
