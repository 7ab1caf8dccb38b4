"""Verdicts on functions and programs, with their proofs or problems, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from enum import Enum
from typing import Protocol

from optigpu.check.recorded_proof import RuleCall
from optigpu.errors.problem import Problem
from optigpu.kernel import Theorem
from optigpu.light_dataclass import dataclass
from optigpu.search.contract_annotations import InferredLoop
from optigpu.search.proof_states import ProofStates
from optigpu.syntax.diagnostic import Diagnostic
from optigpu.syntax.program import Program
from optigpu.syntax.source import Loc, StatementId


class Verdict(Enum):
    """What the checker says of a function: REFUTED if an input was found on which it is seen to misbehave."""

    VERIFIED = "VERIFIED"
    REFUTED = "REFUTED"
    UNPROVED = "UNPROVED"
    UNSUPPORTED = "UNSUPPORTED"


class Counterexample(Protocol):
    """A concrete input on which the program was seen to misbehave."""

    @property
    def diagnostic(self) -> Diagnostic: ...

    @property
    def inputs(self) -> str: ...


Refuter = Callable[[Program, str], Counterexample | None]


@dataclass
class FunctionResult:
    """The verdict on a function, with its proof or its problem. `normaliser` and `solver` count the obligations by who decided."""

    name: str
    verdict: Verdict
    seconds: float
    normaliser: int = 0
    solver: int = 0
    theorem: Theorem | None = None
    problem: Problem | None = None
    counterexample: Counterexample | None = None
    proof: list[RuleCall] = field(default_factory=list)
    loops: dict[StatementId, InferredLoop] = field(default_factory=dict)  # inferred contracts of its loops
    points: ProofStates | None = None  # the states of the proof, if asked for
    opened: FunctionResult | None = None  # the result with floats left open, where floats decide anything
    left_out: tuple[tuple[str, str, int], ...] = ()  # promises that it was proved without, with floats left open

    def __repr__(self) -> str:
        p = self.problem
        problem = "" if p is None else f" {p.code}" + f" at {p.loc}" * bool(p.loc.line)
        return f"<{self.name}: {self.verdict.value}{problem}>"


class ProofStore(Protocol):
    """Where the proofs of a program are remembered, once a certificate was made of them."""

    def read(self) -> str | None: ...

    def write(self, text: str) -> None: ...


@dataclass
class ProgramResult:
    """The verdicts on the functions of a program, and what they rest on."""

    file: str
    functions: list[FunctionResult]
    axioms: list[str]
    admitted: list[str]
    solver: str
    called: list[FunctionResult] = field(default_factory=list)  # functions of included files that they rest on
    cached: tuple[int, int] = (0, 0)  # (answers from the cache, questions to the solver)
    unbounded: list[Loc] = field(default_factory=list)  # where integers are assumed to fit their places
    unbounded_statements: list[int] = field(default_factory=list)  # the same, by number (see points.py)
    proof_store: ProofStore | None = None
    check_in_full: Callable[[], ProgramResult] | None = None  # of a verdict that an earlier run left on disk
    as_text: Callable[[ProgramResult], str] | None = None  # with excerpts, where the result leaves the package

    def __repr__(self) -> str:
        return f"<result of {self.file}: {', '.join(map(repr, self.functions)) or 'no function'}>"

    def __str__(self) -> str:
        return repr(self) if self.as_text is None else self.as_text(self)

    def in_full(self) -> ProgramResult:
        """The result with proofs, inferred loop contracts, states, and causes of problems, which a remembered verdict has not."""
        if self.check_in_full is None:
            return self
        full = self.check_in_full()
        self.check_in_full = lambda: full
        return full

    @property
    def failures(self) -> list[FunctionResult]:
        """The functions that are not verified."""
        return [f for f in self.functions if f.verdict is not Verdict.VERIFIED]

    @property
    def verified(self) -> bool:
        """Is there a function, and are all of them verified? Of a program without functions nothing is proved."""
        return bool(self.functions) and not self.failures

    @property
    def assumptions(self) -> int:
        return len(self.axioms) + len(self.admitted) + len(self.unbounded)
