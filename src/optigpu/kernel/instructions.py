"""The kernel's programs: straight-line instructions over terms, with loops and branches.

Elaboration has flattened expressions: every load is an instruction, every partial operation has its obligation, pointers are
resolved to a base and an index, and early returns are branches. `at` is a number by which the checker finds the source location.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from enum import Enum
from typing import TypeAlias

from optigpu.light_dataclass import dataclass, replace
from optigpu.logic.cells import CellClaim, Terms
from optigpu.logic.records import record
from optigpu.logic.terms import ONE, Sort, Term

HOST_MEMORY, GLOBAL, SHARED, REGISTER, FRAGMENT, DEVICE = "Any", "GMem", "SMem", "TReg", "Frag", "Device"
SEQUENTIAL, PARALLEL, THREAD, MAGIC_THREAD = "sequential", "parallel", "thread", "magic thread"
FRAG, PIPELINED = (
    "frag",
    "pipelined",
)  # over elements of fragments; sequential, with a part of its body that may run ahead
IN_SEQUENCE = (SEQUENTIAL, PIPELINED)  # modes in which the iterations run one after the other
Limits: TypeAlias = tuple[int, int] | None  # the least and greatest number of a machine type; None: any number


@record
class CellAddress:
    """The cell `base[index]`; a scalar has no index."""

    base: str
    index: Terms


@record
class ArrayView:
    """A pointer argument: element (i, j, …) is the base's element (*lead, shift + i, j, …)."""

    base: str
    lead: Terms
    shift: Term


@record
class TileView:
    """Rows and columns of an array: element (i, j) is the base's element (*lead, row + i, col + j)."""

    base: str
    lead: Terms
    row: Term
    col: Term


@dataclass(frozen=True, slots=True, kw_only=True)
class _Instruction:
    at: int = field(default=0, compare=False)


@record
class Bind(_Instruction):
    """`target = value`, for a variable that never changes; with `bits`, modulo 2^bits, as C computes unsigned numbers."""

    target: Term
    value: Term
    bits: int = 0


@record
class Havoc(_Instruction):
    """An arbitrary value of the target's sort, within limits: for example the outcome of a comparison of floats."""

    target: Term
    limits: Limits = None


@record
class LoadCell(_Instruction):
    """`target = base[index]`."""

    target: Term
    place: CellAddress


@record
class StoreCell(_Instruction):
    """`base[index] = value`."""

    place: CellAddress
    value: Term


@record
class AccumulateCell(_Instruction):
    """`atomicAdd(&base[index], value)`, and the like for the other atomic operators (`logic/cells.py`)."""

    place: CellAddress
    operator: str
    value: Term


@record
class Allocate(_Instruction):
    """An array on the heap, or (`heap` false) a local variable or array. A scalar has no dimensions.

    `distributed`: each block (SMem), thread (TReg) or equal part (Frag) of the current group has a copy, numbered by a first
    dimension.
    """

    base: str
    sort: Sort
    dims: Terms
    space: str = HOST_MEMORY
    heap: bool = True
    distributed: bool = False
    bytes: int = 0  # of an element
    limits: Limits = None  # of an element
    groups: Term = ONE  # that have a fragment each


@record
class Release(_Instruction):
    """`free(p)`, or the end of a local's scope."""

    base: str
    heap: bool = True


ROW_SUM, ROW_MAX, ROW_MIN = ROW_OPERATORS = ("sum", "max", "min")


class Obligation(Enum):
    """What an `Oblige` demands. C code gets its obligations in `elaborate/expression_values.py`. UNDEFINED_…: a part of a formula
    may have no value (`elaborate/formula_definedness.py`)."""

    DIVISION = "division"  # the divisor is not zero
    EXACT_DIVISION = "exact_div"  # the divisor divides the dividend
    SHIFT = "shift"  # the amount is within the width, the shifted number not negative
    BITS = "bits"  # the operands of a bit operation are not negative
    CONVERSION = "conversion"  # a conversion keeps the value
    DOMAIN = "domain"  # the function has a real value: sqrt of no negative number
    FINITE = "finite"  # an operand of arithmetic is not INFINITY
    OVERFLOW = "overflow"  # an integer fits its machine type
    POINTER = "pointer"  # a pointer stays in its array, or one past its end
    EMPTY_ARRAY = "empty"  # a local array has at least one element
    ALIGNED = "aligned"  # the address of a vector access is a multiple of its width
    FREED_SIZES = "free sizes"  # an array is freed with the sizes it was allocated with
    UNDEFINED_DIVISION = "undefined division"
    UNDEFINED_EXACT_DIVISION = "undefined exact_div"
    UNDEFINED_BITS = "undefined bits"
    UNDEFINED_DOMAIN = "undefined domain"
    UNDEFINED_EXTREMUM = "undefined empty"  # the greatest or least of an empty range
    UNDEFINED_MODEL = "undefined model"  # A(i), where the array that holds A has no cell i


@record
class Oblige(_Instruction):
    """A condition without which the next operation is undefined: a non-zero divisor, divisibility, a shift's range."""

    prop: Term
    why: Obligation


@record
class Assertion(_Instruction):
    """A fact that the user asks to be proved here."""

    prop: Term


@record
class Branch(_Instruction):
    """`if (test) then else other`. Variables that both branches define are defined after it."""

    test: Term
    then: Instructions
    other: Instructions


@record
class CountedLoop(_Instruction):
    """`for (index = start; index relation bound; index op= amount)`, with op + or - and a positive amount, or geometric.

    A pipelined loop has `stages` copies of the shared arrays that the body declares before it waits (`AwaitStage`).
    """

    index: Term
    start: Term
    relation: str
    bound: Term
    op: str
    amount: Term
    body: Instructions
    mode: str = SEQUENTIAL
    stages: int = 0


@record
class Invoke(_Instruction):
    """A call of a function or lemma."""

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
    """`blocksync()`, `warpsync()`, `magic_barrier()` or, when the threads have ended, `kernel_teardown_sync()`."""

    level: str


@record
class Shuffle(_Instruction):
    """`shfl_down(to, from, amount)` and the like: lane l of a warp gets in to[l] what another lane has in from[…]."""

    op: str
    target: ArrayView
    source: ArrayView
    amount: Term


@record
class MultiplyTiles(_Instruction):
    """`mma(target, left, right, depth)`: target(i, j) += sum of left(i, k) * right(k, j) for k < depth. `across`: the operand's
    view has element (k, i) in the place of (i, k), or (j, k) in that of (k, j)."""

    target: TileView
    left: TileView
    right: TileView
    rows: Term
    cols: Term
    depth: Term
    left_across: bool = False
    right_across: bool = False


@record
class ReduceRows(_Instruction):
    """`frag_row_sum(target, source)` and the like: target(i) (+)= source(i, j) for all j < cols, by an operator of
    `ROW_OPERATORS`."""

    operator: str
    target: ArrayView
    source: TileView
    rows: Term
    cols: Term


@record
class CopyTile(_Instruction):
    """`tile_load(target, source, …)`: target(i, j) = source(i, j) where that lies within `sizes` of the source, else 0."""

    target: TileView
    source: TileView
    rows: Term
    cols: Term
    sizes: tuple[Term, Term]


@record
class AwaitStage(_Instruction):
    """`pipeline_wait()`: the rest of the body of a pipelined loop uses what the part before it has made, which may have run
    ahead."""


Instruction: TypeAlias = (
    Bind
    | Havoc
    | LoadCell
    | StoreCell
    | AccumulateCell
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
    | MultiplyTiles
    | ReduceRows
    | CopyTile
    | AwaitStage
)
Instructions: TypeAlias = tuple[Instruction, ...]


@record
class Parameter:
    """A scalar (a variable) or an array: its base, the sort of its elements, and its sizes as far as they are declared."""

    name: str
    sort: Sort
    dims: tuple[Term | None, ...] | None = None
    space: str = HOST_MEMORY
    bytes: int = 0  # of an element of an array
    limits: Limits = None  # of an element of an array


@record
class ProcedureContract:
    """Pre- and postcondition. `variables` are the contract's logical variables, `result` the variable of the result."""

    variables: tuple[Term, ...]
    requires: tuple[Term, ...]
    pre: tuple[CellClaim, ...]
    post: tuple[CellClaim, ...]
    ensures: tuple[Term, ...]
    result: Term | None = None


@record
class Procedure:
    """A function with its contract."""

    name: str
    params: tuple[Parameter, ...]
    contract: ProcedureContract
    body: Instructions
    admitted: bool = False
    device: bool = False  # called by threads of a kernel
    threads: Term = ONE  # how many of them call a device function together
    primitive: bool = False  # what it does is defined by its contract
    lemma: bool = False  # a proof: it is not executed where it is used
    synchronises: tuple[str, ...] = ()  # an admitted barrier: memory in which a call orders all accesses of its group


@record
class KernelProgram:
    """Functions by name, and what is assumed of logical functions: named axioms."""

    functions: dict[str, Procedure]
    axioms: tuple[tuple[str, Term], ...] = ()
    unbounded: bool = False  # a number not shown to fit its type is assumed to fit, and the ledger says where


def instructions_in(code: Instructions) -> Iterator[Instruction]:
    """All instructions of a piece of code in the order of the text, those inside branches and loops included."""
    for i in code:
        yield i
        match i:
            case Branch():
                yield from instructions_in((*i.then, *i.other))
            case CountedLoop():
                yield from instructions_in(i.body)


def rewritten_code(code: Instructions, change: Callable[[Instruction], Instructions]) -> Instructions:
    """The code with each instruction, at any depth, replaced by what `change` makes of it."""
    out: list[Instruction] = []
    for i in code:
        match i:
            case Branch():
                then, other = (rewritten_code(part, change) for part in (i.then, i.other))
                i = replace(i, then=then, other=other)
            case CountedLoop():
                i = replace(i, body=rewritten_code(i.body, change))
        out.extend(change(i))
    return tuple(out)
