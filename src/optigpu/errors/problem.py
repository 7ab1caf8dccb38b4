"""Why a function is not verified, as data."""

from __future__ import annotations

from optigpu.kernel.causes import Cause
from optigpu.light_dataclass import dataclass
from optigpu.logic.terms import Term
from optigpu.syntax.source import Loc


@dataclass(frozen=True, slots=True)
class FunctionInputs:
    """What a contract can speak of."""

    variables: frozenset[Term] = frozenset()  # numbers among the parameters, and logical variables
    arrays: tuple[tuple[str, tuple[Term | None, ...]], ...] = ()  # parameters, with their declared sizes
    claimed: frozenset[str] = frozenset()  # arrays that the precondition has permissions for


NO_INPUTS = FunctionInputs()


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a function is not verified: a code, the places concerned, and the cause."""

    code: str
    loc: Loc
    cause: Cause | None = None  # None for problems that come with their own message
    labels: tuple[tuple[Loc, str], ...] = ()
    message: str = ""
    function: str = ""  # as the kernel calls it
    statement: int = 0  # of the function concerned (see points.py); 0: its contract
    levels: tuple[tuple[str, Term], ...] = ()  # the groups of threads around the place, in device code
    sync_line: int = 0  # the line before which a missing barrier would stand
    floats_open: bool = False  # proved over the reals, not with floats left open
    inputs: FunctionInputs = NO_INPUTS  # of the function
    concerns: str = ""  # the array or variable concerned, of a problem without its cause

    @property
    def array(self) -> str:
        """The array or variable concerned, as the kernel calls it; empty if there is none."""
        return self.concerns if self.cause is None else self.cause.base
