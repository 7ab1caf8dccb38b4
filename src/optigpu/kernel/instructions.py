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
class CellAddress:
    base: str
    index: Terms


@record
class ArrayView:
    """A pointer argument: element (i, j, …) is the base's element (*lead, shift + i, j, …)."""

    base: str
    lead: Terms
    shift: Term


@dataclass(frozen=True, slots=True, kw_only=True)
class _Instruction:
    at: int = field(default=0, compare=False)


@record
class Bind(_Instruction):
    """`bits`: the value modulo 2^bits, as C computes unsigned numbers."""

    target: Term
    value: Term
    bits: int = 0


@record
class Havoc(_Instruction):
    """A value of which only its sort is known, and its limits: what a comparison of floats says, say."""

    target: Term
    limits: Limits = None


@record
class LoadCell(_Instruction):
    target: Term
    place: CellAddress


@record
class StoreCell(_Instruction):
    place: CellAddress
    value: Term


@record
class Allocate(_Instruction):
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
class Release(_Instruction):
    """`free(p)`, or the end of a local's scope."""

    base: str
    heap: bool = True


@record
class Oblige(_Instruction):
    """A condition without which the next operation has no meaning: a non-zero divisor, divisibility, a shift's range."""

    prop: Term
    why: str


@record
class Assertion(_Instruction):
    prop: Term


@record
class Branch(_Instruction):
    """Variables that both branches define are defined after it."""

    test: Term
    then: Instructions
    other: Instructions


@record
class CountedLoop(_Instruction):
    """`for (index = start; index relation bound; index op= amount)`, with op + or - and a positive amount, or geometric."""

    index: Term
    start: Term
    relation: str
    bound: Term
    op: str
    amount: Term
    body: Instructions
    mode: str = SEQUENTIAL


@record
class Invoke(_Instruction):
    target: Term | None
    function: str
    args: tuple[Term | ArrayView, ...]


@record
class GhostStep(_Instruction):
    """A proof step: the entailment `pre |- post`, with everything already instantiated."""

    name: str
    requires: tuple[Term, ...]
    pre: tuple[CellClaim, ...]
    post: tuple[CellClaim, ...]
    ensures: tuple[Term, ...]


@record
class LaunchKernel(_Instruction):
    """`kernel_launch(grid, block, shared)`: numbers of blocks, of threads in a block, of bytes of shared memory in a block."""

    grid: Term
    block: Term
    shared: Term


@record
class Phase(_Instruction):
    """The next phase of a kernel: `threads` (the setup ends), `teardown`, `host` (the kernel ends)."""

    to: str


@record
class Barrier(_Instruction):
    """`blocksync()` or `warpsync()`."""

    level: str


@record
class Shuffle(_Instruction):
    """`shfl_down(to, from, amount)` and the like: lane l of a warp gets in to[l] what another lane has in from[…]."""

    op: str
    target: ArrayView
    source: ArrayView
    amount: Term


Instruction: TypeAlias = (
    Bind
    | Havoc
    | LoadCell
    | StoreCell
    | Allocate
    | Release
    | Oblige
    | Assertion
    | Branch
    | CountedLoop
    | Invoke
    | GhostStep
    | LaunchKernel
    | Phase
    | Barrier
    | Shuffle
)
Instructions: TypeAlias = tuple[Instruction, ...]


@record
class Parameter:
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
class Procedure:
    name: str
    params: tuple[Parameter, ...]
    contract: Contract
    body: Instructions
    admitted: bool = False
    device: bool = False  # called by threads of a kernel
    threads: Term = ONE  # how many of them call a device function together
    primitive: bool = False  # what it does is defined by its contract
    lemma: bool = False  # a proof: it is not executed where it is used


@record
class KernelProgram:
    """Functions by name, and what is assumed of logical functions: named axioms."""

    functions: dict[str, Procedure]
    axioms: tuple[tuple[str, Term], ...] = ()
    unbounded: bool = False  # numbers that are not shown to fit their place are assumed to, and the ledger says where
