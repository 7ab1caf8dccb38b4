"""Errors of proofs about loops: invariants, inferred effects, independence of iterations."""

from __future__ import annotations

from optigpu.errors.cause_keys import Rejection, no_contract, rejections
from optigpu.errors.details import Details
from optigpu.errors.error_row import ProofErrorRow
from optigpu.kernel.causes import (
    BrokenInvariant,
    DependentIterations,
    Operation,
    Overlap,
    StepNotPositive,
    Uninitialised,
    WrongValue,
)
from optigpu.search.search_causes import Obstacle

DEPENDENT_ITERATIONS = "the iterations of this loop are not independent"
SEPARATE_CELLS = "remove the pragma, or give each iteration its own cells"


def _invariant(d: Details) -> str:
    side = "before the loop" if d.operation is Operation.LOOP else "at the end of the loop's body"
    return f"the invariant of this loop for {d.array} is not shown to hold {side}"


LOOP_ERRORS = (
    ProofErrorRow(
        "OG318",
        "loop invariant that does not hold",
        "An invariant, written or inferred, does not hold before the loop or is not kept by its body.",
        causes=tuple(
            Rejection(cause, operation)
            for operation in (Operation.LOOP, Operation.LEAVE)
            for cause in (Uninitialised, WrongValue, BrokenInvariant)
        ),
        message=_invariant,
    ),
    ProofErrorRow(
        "OG319",
        "loop that needs an invariant",
        "What this loop does to the memory named follows none of the known laws (each iteration its own cells, sums and\n"
        "other accumulations, scratch). Say what the memory holds at the start of iteration i:\n"
        '  __spreserves("&x ~~> …");',
        causes=no_contract(Obstacle.GEOMETRIC, Obstacle.VARIABLES, Obstacle.INDEX),
        message="the effect of this loop on {array} follows no known law: it needs an invariant",
        help='__spreserves("&{base} ~~> value at the start of iteration i") in the loop',
    ),
    ProofErrorRow(
        "OG324",
        "parallel loop with dependent iterations",
        "A parallel loop whose iterations are not independent: they accumulate into, or otherwise share, the memory named.",
        causes=rejections(DependentIterations, Operation.LOOP),
        message="the iterations of this parallel loop are not independent: they share {array}",
        help=SEPARATE_CELLS,
        race=DEPENDENT_ITERATIONS,
    ),
    ProofErrorRow(
        "OG325",
        "loop step that is not positive",
        "The step of a loop must be positive, or the loop would not end.",
        causes=rejections(StepNotPositive, Operation.LOOP),
        message="the step of this loop is not shown to be positive",
    ),
    ProofErrorRow(
        "OG326",
        "iterations that write the same cell",
        "Two iterations may write the same cell.",
        causes=rejections(Overlap, Operation.LOOP),
        message="two iterations may write the same cell of {array}",
        help=SEPARATE_CELLS,
        race=DEPENDENT_ITERATIONS,
    ),
)
