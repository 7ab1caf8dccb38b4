"""Why a rule rejects what it is asked: typed causes, from which the error catalogue makes codes and messages."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from enum import Enum
from typing import ClassVar, TypeAlias

from optigpu.kernel.context import Context
from optigpu.kernel.instructions import Limits
from optigpu.logic.cells import Cells, Owner, Terms
from optigpu.logic.facts import Facts
from optigpu.logic.terms import Term


class Operation(Enum):
    """What was to be done: an instruction, the start or end of a block, or a part of a contract."""

    BEGIN = "begin"
    POST = "post"  # a permission of the postcondition
    ENSURES = "ensures"  # a fact of the postcondition
    LEAK = "leak"  # the end of a function, with something left over
    LOAD = "load"
    STORE = "store"
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
    FORGET = "forget"
    LAUNCH = "launch"
    ORDER = "order"  # a rule that is not the next one
    INFER = "infer"  # the search for a loop's contract


@dataclass(frozen=True, slots=True)
class Cause:
    """A side condition that does not hold, or could not be shown: then `facts` do not entail `goal`."""

    word: ClassVar[str]
    operation: Operation
    base: str = ""  # the array or variable concerned
    _: KW_ONLY
    facts: Facts | None = None
    goal: Term | None = None

    @property
    def reason(self) -> str:
        """The reason in a word or two."""
        return self.word


class Rejected(Exception):
    """A rule was rejected."""

    def __init__(self, cause: Cause) -> None:
        super().__init__(
            f"{cause.operation.value}: {cause.reason}"
        )  # a goal has a text that may be longer than any memory
        self.cause = cause


def unproved(cause: Cause, facts: Facts, goal: Term) -> Rejected:
    """The rejection for a goal that was not proved."""
    return Rejected(replace(cause, facts=facts, goal=goal))


def for_reading(cause: Cause) -> Cause:
    """The cause as others may have it, with facts for reading."""
    return cause if cause.facts is None else replace(cause, facts=cause.facts.shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutOfOrder(Cause):
    """The rule does not apply at this point, or names a variable that does not exist here."""

    word = "order"
    text: str

    @property
    def reason(self) -> str:
        return self.text


# Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingPermission(Cause):
    """Needed cells are not held, or not with full share."""

    word = "permission"
    need: Cells | None = None
    have: Cells | None = None
    at: Terms | None = None  # arbitrary binders of the needed cells
    index: Terms | None = None  # of a single access


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap(Cause):
    """Two binders of the needed cells may be one cell."""

    word = "overlap"
    need: Cells
    have: Cells
    at: Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class Uninitialised(Cause):
    """A cell may not have been written."""

    word = "init"
    cells: Cells | None = None
    at: Terms | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongValue(Cause):
    """A cell is not shown to hold what it should."""

    word = "value"
    cells: Cells
    at: Terms
    found: Term
    wanted: Term


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak(Cause):
    """Cells or an allocation would be lost."""

    word = "leak"
    cells: Cells | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongShape(Cause):
    """Maps, contracts or arguments do not fit what they are about."""

    word = "shape"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimOutside(Cause):
    """A claim of a precondition reaches beyond the declared sizes."""

    word = "outside"
    claims: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedTwice(Cause):
    """Two claims of a precondition, or one claim twice, name the same cell."""

    word = "twice"
    claims: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAllocated(Cause):
    """What is freed was not allocated here, or is gone."""

    word = "not allocated"


@dataclass(frozen=True, slots=True, kw_only=True)
class NegativeSize(Cause):
    """The size of an allocation may be negative."""

    word = "size"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongSizes(Cause):
    """The inner sizes of an array argument are not those of the parameter."""

    word = "sizes"


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferentBranches(Cause):
    """The branches of an `if` leave different cells or allocations."""

    word = "branches"


# Facts and numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class UnprovedFact(Cause):
    """A stated fact does not follow."""

    word = "fact"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnmetObligation(Cause):
    """The condition of a partial operation does not follow: `Oblige.why` says which."""

    word = "obligation"
    obligation: str

    @property
    def reason(self) -> str:
        return self.obligation


@dataclass(frozen=True, slots=True, kw_only=True)
class Overflow(Cause):
    """A number may not fit its machine type."""

    word = "overflow"
    limits: Limits = None


# Loops


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenInvariant(Cause):
    """A fact of a loop contract does not hold before the loop, or at the end of its body."""

    word = "invariant"


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenLaw(Cause):
    """The law of an invariant does not hold before the loop, or at the end of its body."""

    word = "law"


@dataclass(frozen=True, slots=True, kw_only=True)
class DependentIterations(Cause):
    """A parallel or thread loop has an invariant."""

    word = "parallel"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepNotPositive(Cause):
    word = "step"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotCounting(Cause):
    """The loop does not count towards its bound by addition or subtraction."""

    word = "direction"
    geometric: bool

    @property
    def reason(self) -> str:
        return "geometric" if self.geometric else self.word


@dataclass(frozen=True, slots=True, kw_only=True)
class NotUnrolled(Cause):
    """The loop is not sequential, or its bounds are not known numbers."""

    word = "numbers"


@dataclass(frozen=True, slots=True, kw_only=True)
class EndlessLoop(Cause):
    """The loop does not end, or has too many iterations to be unrolled."""

    word = "endless"


# Threads and launches


@dataclass(frozen=True, slots=True, kw_only=True)
class NotOwner(Cause):
    """A thread accesses, or is given, a cell that other threads own: those may have written it since the last barrier."""

    word = "owner"
    cell: Terms | None = None
    first: Term | None = None  # the first thread that accesses the cell; None: of the current group
    other: Owner | None = None  # the owner
    context: Context | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnorderedRead(Cause):
    """A cell is given to threads to write, and other threads may have read it since the last barrier."""

    word = "read"
    cell: Terms
    first: Term
    other: Owner  # the readers


@dataclass(frozen=True, slots=True, kw_only=True)
class UncoveredRead(Cause):
    """A pending read is not part of those that are stated."""

    word = "marks"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongContext(Cause):
    """The host, the threads or another phase of a kernel cannot do this."""

    word = "context"
    context: Context
    space: str | None = None  # of an allocation
    mode: str | None = None  # of a loop
    to: str | None = None  # the next phase of a launch
    function: str | None = None  # that is called
    barrier: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongGroup(Cause):
    """The operation is for a group of `size` threads, and another group executes it."""

    word = "level"
    context: Context
    size: Term
    function: str | None = None
    barrier: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoWholeWarps(Cause):
    """32 does not divide the number of threads of a block."""

    word = "warp"
    context: Context


@dataclass(frozen=True, slots=True, kw_only=True)
class UnequalParts(Cause):
    """A thread loop does not divide the threads of its group into equal parts."""

    word = "extent"
    context: Context
    extent: Term


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongSpace(Cause):
    """Memory of a space that whoever executes, or the called function, cannot access."""

    word = "space"
    space: str | None = None
    context: Context | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedMemoryExceeded(Cause):
    """More shared memory is allocated than the kernel was launched with."""

    word = "shared"
    context: Context


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedMemoryInUse(Cause):
    """Shared memory is used again, or left by an iteration, while threads may still be using it."""

    word = "busy"
    context: Context | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleOutsideWarp(Cause):
    """The amount of a shuffle is not shown to be in 0..32."""

    word = "amount"


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchLimit(Cause):
    """A launch exceeds a limit of the hardware: on blocks, threads or shared memory."""

    word = "limit"
    what: str
    values: Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftInKernel(Cause):
    """Registers or shared memory would outlive the threads, or the kernel."""

    word = "left"
    space: str


KernelCause: TypeAlias = (
    OutOfOrder | MissingPermission | Overlap | Uninitialised | WrongValue | Leak | WrongShape | ClaimOutside | ClaimedTwice
    | NotAllocated | NegativeSize | WrongSizes | DifferentBranches | UnprovedFact | UnmetObligation | Overflow
    | BrokenInvariant | BrokenLaw | DependentIterations | StepNotPositive | NotCounting | NotUnrolled | EndlessLoop
    | NotOwner | UnorderedRead | UncoveredRead | WrongContext | WrongGroup | NoWholeWarps | UnequalParts | WrongSpace
    | SharedMemoryExceeded | SharedMemoryInUse | ShuffleOutsideWarp | LaunchLimit | LeftInKernel
)  # fmt: skip
