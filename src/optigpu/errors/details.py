"""The details of a failed proof that messages are made of, as text."""

from __future__ import annotations

from typing import Protocol

from optigpu.errors.problem import NO_INPUTS, FunctionInputs
from optigpu.kernel.causes import (
    Cause,
    EmptyGroup,
    LeftInKernel,
    NotOwner,
    NoWholeWarps,
    Operation,
    SharedMemoryExceeded,
    SharedMemoryInUse,
    UnequalParts,
    WrongContext,
    WrongGroup,
    WrongSpace,
)
from optigpu.kernel.context import Context
from optigpu.logic.names import source_name
from optigpu.logic.terms import Term
from optigpu.search.search_causes import DataRace, Levels

LONGEST_TERM = 300  # characters of a term in a message


class TermWriter(Protocol):
    """Prints terms of the logic; names stay the same within one message."""

    def show(self, t: Term) -> str: ...


def level_name(v: str) -> str:
    """A level of `races.levels`: the grid, the caller of a device function, or a thread loop."""
    return "grid" if not v else v if v.endswith("()") else f"thread for {source_name(v)}"


class Details:
    """The cause of a failed proof, and where it was found."""

    def __init__(
        self,
        cause: Cause,
        writer: TermWriter,
        levels: Levels = (),
        sync_line: int = 0,
        inputs: FunctionInputs = NO_INPUTS,
    ) -> None:
        self.cause = cause
        self.writer = writer
        self.levels = levels  # the thread groups around the place, outermost first, each with its number of threads
        self.sync_line = sync_line  # before which a missing barrier would stand; 0: unknown
        self.inputs = inputs  # what the contract of the function can speak of
        self.base = source_name(cause.base)

    @property
    def unclaimed(self) -> str | None:
        """`Cells2(n, m)` for a parameter that the precondition does not mention; None for other memory."""
        for name, dims in self.inputs.arrays:
            if name == self.cause.base and name not in self.inputs.claimed:
                sizes = ("…" if d is None else self.show(d) for d in dims)
                return f"Cells{len(dims)}({', '.join(sizes)})"
        return None

    @property
    def array(self) -> str:
        """The array, or what else is accessed, in a sentence."""
        return f"`{self.base}`" if self.base else "this"

    @property
    def operation(self) -> Operation:
        return self.cause.operation

    @property
    def space(self) -> str | None:
        """The memory space of the array."""
        match self.cause:
            case DataRace(space=space) | WrongSpace(space=space) | LeftInKernel(space=space):
                return space
            case _:
                return None

    @property
    def context(self) -> Context | None:
        """Who runs the code."""
        match self.cause:
            case WrongContext(context=context) | WrongGroup(context=context) | WrongSpace(context=context):
                return context
            case NoWholeWarps(context=context) | UnequalParts(context=context) | NotOwner(context=context):
                return context
            case (
                SharedMemoryExceeded(context=context) | SharedMemoryInUse(context=context) | EmptyGroup(context=context)
            ):
                return context
            case _:
                return None

    @property
    def kind(self) -> str:
        """What runs the code: host, threads, or a phase of a launch."""
        return "?" if self.context is None else self.context.kind

    @property
    def threads(self) -> str:
        """The number of threads of the group that runs the code."""
        return "?" if self.context is None else self.show(self.context.threads)

    @property
    def block(self) -> str:
        """The number of threads in a block."""
        if isinstance(self.cause, DataRace) and self.cause.barrier is not None:
            return self.show(self.cause.barrier.block)
        return "?" if self.context is None else self.show(self.context.block)

    def show(self, t: Term) -> str:
        text = self.writer.show(t)
        return text if len(text) <= LONGEST_TERM else text[: LONGEST_TERM - 3] + "…"
