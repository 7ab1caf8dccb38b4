"""Why a rule rejects what it is asked: typed causes, from which the error catalogue makes codes and messages."""

from __future__ import annotations

from dataclasses import KW_ONLY
from enum import Enum
from typing import ClassVar, TypeAlias, TypeVar, dataclass_transform

from optigpu.kernel.context import Context
from optigpu.kernel.instructions import Limits, Obligation
from optigpu.light_dataclass import dataclass, replace
from optigpu.logic.cells import Cells, Owner, Terms
from optigpu.logic.facts import Facts
from optigpu.logic.terms import Term

C = TypeVar("C", bound="Cause")


class Operation(Enum):
    """What was to be done: an instruction, the start or end of a block, or a part of a contract."""

    BEGIN = "begin"
    POST = "post"  # a permission of the postcondition
    ENSURES = "ensures"  # a fact of the postcondition
    LEAK = "leak"  # the end of a function, with something left over
    LOAD = "load"
    STORE = "store"
    ATOMIC = "atomic"  # an atomic operation, or the start or end of those on a family
    ALLOCATE = "allocate"
    FREE = "free"
    OBLIGE = "oblige"
    ASSERT = "assert"
    GHOST = "ghost"
    RESTATE = "restate"
    GATHER = "gather"
    JOIN = "join"
    LOOP = "loop"  # the start of a loop
    LEAVE = "leave"  # the end of a loop's body
    UNROLL = "unroll"
    CALL = "call"
    BARRIER = "barrier"
    SHUFFLE = "shuffle"
    FRAGMENT = "fragment"  # its declaration
    MULTIPLY = "multiply"  # tiles
    REDUCE_ROWS = "reduce rows"
    COPY = "copy"  # a tile
    FORGET = "forget"
    LAUNCH = "launch"
    ORDER = "order"  # a rule that is not the next one
    INFER = "infer"  # the search for a loop's contract


@dataclass(frozen=True)
class Cause:
    """A side condition that does not hold, or could not be shown: then `facts` do not entail `goal`."""

    word: ClassVar[str]  # names the cause for people
    operation: Operation
    base: str = ""  # the array or variable concerned
    _: KW_ONLY
    facts: Facts | None = None
    goal: Term | None = None

    def __init_subclass__(cls, word: str) -> None:
        cls.word = word

    @property
    def reason(self) -> str:
        """The reason in a word or two."""
        return self.word


@dataclass_transform(frozen_default=True, kw_only_default=True)
def with_fields(cls: type[C]) -> type[C]:
    """A cause with fields of its own."""
    return dataclass(frozen=True, kw_only=True)(cls)


class Rejected(Exception):
    """A rule was rejected."""

    def __init__(self, cause: Cause) -> None:
        super().__init__(f"{cause.operation.value}: {cause.reason}")  # the text of a goal may be longer than any memory
        self.cause = cause


def unproved(cause: Cause, facts: Facts, goal: Term) -> Rejected:
    """The rejection for a goal that was not proved."""
    return Rejected(replace(cause, facts=facts, goal=goal))


def for_reading(cause: Cause) -> Cause:
    """The cause as others may have it, with facts for reading."""
    return cause if cause.facts is None else replace(cause, facts=cause.facts.sealed)


@with_fields
class OutOfOrder(Cause, word="order"):
    """The rule does not apply at this point, or names a variable that does not exist here."""

    text: str

    @property
    def reason(self) -> str:
        return self.text


# Memory


@with_fields
class MissingPermission(Cause, word="permission"):
    """Needed cells are not held, or not with full share."""

    need: Cells | None = None
    have: Cells | None = None
    at: Terms | None = None  # arbitrary binders of the needed cells
    index: Terms | None = None  # of a single access


@with_fields
class Overlap(Cause, word="overlap"):
    """Two binders of the needed cells may be one cell."""

    need: Cells
    have: Cells
    at: Terms


@with_fields
class Uninitialised(Cause, word="init"):
    """A cell may not have been written."""

    cells: Cells | None = None
    at: Terms | None = None


@with_fields
class WrongValue(Cause, word="value"):
    """A cell is not shown to hold what it should."""

    cells: Cells
    at: Terms
    actual: Term
    wanted: Term


@with_fields
class Leak(Cause, word="leak"):
    """Cells or an allocation would be lost."""

    cells: Cells | None = None


class WrongShape(Cause, word="shape"):
    """Maps, contracts or arguments do not fit what they are about."""


@with_fields
class ClaimOutside(Cause, word="outside"):
    """A claim of a precondition reaches beyond the declared sizes."""

    claims: tuple[int, int]


@with_fields
class ClaimedTwice(Cause, word="twice"):
    """Two claims of a precondition, or one claim twice, name the same cell."""

    claims: tuple[int, int]


class NotAllocated(Cause, word="not allocated"):
    """What is freed was not allocated here, or is gone."""


class NegativeSize(Cause, word="size"):
    """The size of an allocation may be negative."""


class WrongSizes(Cause, word="sizes"):
    """The inner sizes of an array argument are not those of the parameter."""


class DifferentBranches(Cause, word="branches"):
    """The branches of an `if` leave different cells or allocations."""


# Facts and numbers


class UnprovedFact(Cause, word="fact"):
    """A stated fact does not follow."""


@with_fields
class UnmetObligation(Cause, word="obligation"):
    """The condition of a partial operation does not follow: `Oblige.why` says which."""

    obligation: Obligation

    @property
    def reason(self) -> str:
        return self.obligation.value


@with_fields
class Overflow(Cause, word="overflow"):
    """A number may not fit its machine type."""

    limits: Limits = None


# Loops


class BrokenInvariant(Cause, word="invariant"):
    """A fact of a loop contract does not hold before the loop, or at the end of its body."""


class BrokenLaw(Cause, word="law"):
    """The law of an invariant does not hold before the loop, or at the end of its body."""


class DependentIterations(Cause, word="parallel"):
    """A parallel or thread loop has an invariant."""


class StepNotPositive(Cause, word="step"):
    """The step of a loop may be zero or negative."""


@with_fields
class NotCounting(Cause, word="direction"):
    """The loop does not count towards its bound by addition or subtraction."""

    geometric: bool

    @property
    def reason(self) -> str:
        return "geometric" if self.geometric else self.word


class NotUnrolled(Cause, word="numbers"):
    """The loop is not sequential, or its bounds are not known numbers."""


class EndlessLoop(Cause, word="endless"):
    """The loop does not end, or has too many iterations to be unrolled."""


# Threads and launches


@with_fields
class NotOwner(Cause, word="owner"):
    """A thread accesses, or is given, a cell that other threads own: those may have written it since the last barrier."""

    cell: Terms | None = None
    first: Term | None = None  # the first thread that accesses the cell; None: of the current group
    other: Owner | None = None  # the owner
    context: Context | None = None


@with_fields
class UnorderedRead(Cause, word="read"):
    """A cell is given to threads to write, and other threads may have read it since the last barrier."""

    cell: Terms
    first: Term
    other: Owner  # the readers


class UncoveredRead(Cause, word="marks"):
    """A pending read is not part of those that are stated."""


@with_fields
class WrongContext(Cause, word="context"):
    """The host, the threads or another phase of a kernel cannot do this."""

    context: Context
    space: str | None = None  # of an allocation
    mode: str | None = None  # of a loop
    to: str | None = None  # the next phase of a launch
    function: str | None = None  # that is called
    barrier: str | None = None


@with_fields
class WrongGroup(Cause, word="level"):
    """The operation is for a group of `size` threads, and another group executes it."""

    context: Context
    size: Term
    function: str | None = None
    barrier: str | None = None


@with_fields
class EmptyGroup(Cause, word="nobody"):
    """A group stores as one, and is not shown to have a thread: it would store nothing."""

    context: Context


@with_fields
class NoWholeWarps(Cause, word="warp"):
    """32 does not divide the number of threads of a block."""

    context: Context


@with_fields
class UnequalParts(Cause, word="extent"):
    """A thread loop does not divide the threads of its group into equal parts."""

    context: Context
    extent: Term


@with_fields
class WrongSpace(Cause, word="space"):
    """Memory of a space that whoever executes, or the called function, cannot access."""

    space: str | None = None
    context: Context | None = None


@with_fields
class SharedMemoryExceeded(Cause, word="shared"):
    """More shared memory is allocated than the kernel was launched with."""

    context: Context


@with_fields
class SharedMemoryInUse(Cause, word="busy"):
    """Shared memory is used again, or left by an iteration, while threads may still be using it."""

    context: Context | None = None


@with_fields
class StillInUse(Cause, word="in use"):
    """Threads free default memory that others of them may be using."""

    context: Context


@with_fields
class WrongStage(Cause, word="stage"):
    """The part of a pipelined loop that may run ahead does what it cannot, or the loop does not wait for it."""

    text: str


@with_fields
class LeftAhead(Cause, word="left ahead"):
    """What the part of a pipelined loop that may run ahead declares, other than shared arrays, is left to the rest of the body."""

    space: str


class ShuffleOutsideWarp(Cause, word="amount"):
    """The amount of a shuffle is not shown to be in 0..32."""


@with_fields
class LaunchLimit(Cause, word="limit"):
    """A launch exceeds a limit of the hardware: on blocks, threads or shared memory."""

    what: str
    values: Terms


@with_fields
class LeftInKernel(Cause, word="left"):
    """Registers or shared memory would outlive the threads, or the kernel."""

    space: str


KernelCause: TypeAlias = (
    OutOfOrder | MissingPermission | Overlap | Uninitialised | WrongValue | Leak | WrongShape | ClaimOutside | ClaimedTwice
    | NotAllocated | NegativeSize | WrongSizes | DifferentBranches | UnprovedFact | UnmetObligation | Overflow
    | BrokenInvariant | BrokenLaw | DependentIterations | StepNotPositive | NotCounting | NotUnrolled | EndlessLoop
    | NotOwner | UnorderedRead | UncoveredRead | WrongContext | WrongGroup | EmptyGroup | NoWholeWarps | UnequalParts | WrongSpace
    | SharedMemoryExceeded | SharedMemoryInUse | StillInUse | WrongStage | LeftAhead | ShuffleOutsideWarp | LaunchLimit |
    LeftInKernel
)  # fmt: skip
