"""The result of elaboration: a program for the kernel, and the way from its instructions back to the source."""

from __future__ import annotations

from dataclasses import field

from optigpu.elaborate.alignment import VectorAccesses
from optigpu.elaborate.formula_definedness import ContractFacts
from optigpu.kernel import instructions as kc
from optigpu.light_dataclass import dataclass
from optigpu.logic.cells import CellClaim
from optigpu.logic.terms import Term
from optigpu.syntax.source import Loc, StatementId


@dataclass
class LoopSpec:
    """The clauses that a user wrote at a loop, with their places: claims and facts in which the loop's index variable is free."""

    index: Term
    variables: tuple[Term, ...] = ()
    takes: list[tuple[CellClaim, Loc]] = field(default_factory=list)  # what an iteration has to itself when it starts
    exclusive_post: list[tuple[CellClaim, Loc]] = field(default_factory=list)  # and when it ends
    reads: list[tuple[CellClaim, Loc]] = field(default_factory=list)  # what it only reads
    invariant: list[tuple[CellClaim, Loc]] = field(default_factory=list)
    facts: list[tuple[Term, Loc]] = field(default_factory=list)  # of `__invariant`
    requires: list[tuple[Term, Loc]] = field(default_factory=list)  # of `__xrequires`: about one iteration
    ensures: list[tuple[Term, Loc]] = field(default_factory=list)  # of `__xensures`
    sizes: list[tuple[Term, Loc]] = field(
        default_factory=list
    )  # what permissions say of sizes and of parts of the threads
    invariant_sizes: list[tuple[Term, Loc]] = field(default_factory=list)


@dataclass
class ContractPlaces:
    """Where the parts of a contract were written, in the order of the kernel's contract."""

    requires: list[Loc] = field(default_factory=list)
    pre: list[Loc] = field(default_factory=list)
    post: list[Loc] = field(default_factory=list)
    ensures: list[Loc] = field(default_factory=list)


@dataclass
class Elaborated:
    """A kernel program, and the way back to the source.

    Instructions have a number, their field `at`, which is an index into `places` and `statements`.
    """

    program: kc.KernelProgram
    places: list[Loc]  # by `at`
    specs: dict[int, LoopSpec]  # by the `at` of loops
    clauses: dict[str, ContractPlaces]  # by function
    statement_ids: dict[int, StatementId] = field(default_factory=dict)  # the statement of a loop, by its `at`
    lemma_arguments: dict[int, dict[str, Term]] = field(default_factory=dict)  # by the `at` of a call
    statements: list[int] = field(default_factory=lambda: [0])  # by `at`: number of the statement in its function
    copies: dict[str, kc.Procedure] = field(default_factory=dict)  # the memcpys in use
    accesses: dict[str, VectorAccesses] = field(default_factory=dict)  # by function
    contract_facts: dict[str, list[ContractFacts]] = field(default_factory=dict)  # by function, clause by clause
    axioms: list[ContractFacts] = field(default_factory=list)
