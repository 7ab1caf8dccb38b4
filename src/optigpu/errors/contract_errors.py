"""Errors of proofs about what a contract, an assertion or a ghost states."""

from __future__ import annotations

from optigpu.errors.cause_keys import Rejection, obligations, rejections
from optigpu.errors.check_causes import Contradiction
from optigpu.errors.details import Details
from optigpu.errors.error_row import ProofErrorRow
from optigpu.kernel.causes import (
    MissingPermission,
    Operation,
    Overlap,
    Uninitialised,
    UnmetObligation,
    UnprovedFact,
    WrongValue,
)
from optigpu.kernel.instructions import Obligation

# Why a part of a formula may have no value, and what excludes that.
WITHOUT_VALUE = {
    Obligation.UNDEFINED_DIVISION: ("this divides by what may be zero", "exclude zero"),
    Obligation.UNDEFINED_DOMAIN: ("this function may have no real number as its value here", "give the range"),
    Obligation.UNDEFINED_EXACT_DIVISION: ("this division is not shown to be exact", "say that it is"),
    Obligation.UNDEFINED_BITS: ("bit operations and shifts take numbers that are not negative", "give the range"),
    Obligation.UNDEFINED_EXTREMUM: (
        "this range may be empty, and then there is no greatest or least of it",
        "exclude that",
    ),
    Obligation.UNDEFINED_MODEL: ("the array that holds these values may have no such cell", "give the range"),
}


def _without_value(d: Details) -> tuple[str, str]:
    assert isinstance(d.cause, UnmetObligation)
    return WITHOUT_VALUE[d.cause.obligation]


def _statement(d: Details) -> str:
    return (
        f"what is said here of {d.array} is not shown to hold" if d.base else "what is said here is not shown to hold"
    )


def _contradiction(d: Details) -> str:
    function, text = (d.cause.function, d.cause.text) if isinstance(d.cause, Contradiction) else ("?", "?")
    return f"no input satisfies the precondition of `{function}`: {text}"


CONTRACT_ERRORS = (
    ProofErrorRow(
        "OG305",
        "array that does not hold what is promised",
        "At the end of the function, an array does not hold what the contract promises. `need` is what is promised,\n"
        "`have` what the program computes.",
        causes=rejections(WrongValue, Operation.POST),
        message="{array} does not hold what the contract promises",
    ),
    ProofErrorRow(
        "OG307",
        "promise that does not follow",
        "A fact in __ensures does not follow.",
        causes=rejections(UnprovedFact, Operation.ENSURES),
        message="this promise of the contract is not shown to hold",
    ),
    ProofErrorRow(
        "OG321",
        "assertion that does not follow",
        "An assertion does not follow.",
        causes=rejections(UnprovedFact, Operation.ASSERT),
        message="this assertion is not shown to hold",
    ),
    ProofErrorRow(
        "OG322",
        "ghost that does not hold",
        "A ghost, or the contract of a loop, says something that does not hold: a requirement, or what memory holds.",
        causes=tuple(
            Rejection(c, Operation.GHOST) for c in (UnprovedFact, WrongValue, Uninitialised, MissingPermission, Overlap)
        ),
        message=_statement,
    ),
    ProofErrorRow(
        "OG360",
        "precondition that no input satisfies",
        "No input satisfies the precondition, so anything at all would be proved of the function. The clauses that\n"
        "contradict each other are shown; types of parameters count (a uint8_t is not 300, an array has no negative size),"
        " and so do\naxioms. `optigpu check -v` shows an input for a precondition that has one.",
        causes=rejections(Contradiction, Operation.BEGIN),
        message=_contradiction,
        help="change one of these: what no input satisfies proves anything",
    ),
    ProofErrorRow(
        "OG361",
        "formula without a value",
        "A part of a formula may have no value: a division by zero, the greatest of no numbers, the square root of a\n"
        "negative number, A(i) where the array that holds A has no cell i. Its surroundings have to exclude that:\n"
        '  __ensures("y != 0 ==> _Res == x / y"), __ensures("_Res == (0 < i ? A(i - 1) : 0)")\n'
        'or another clause: __requires("n > 0").',
        causes=obligations(*WITHOUT_VALUE),
        message=lambda d: f"a part of this formula may have no value: {_without_value(d)[0]}",
        help=lambda d: (
            f"{_without_value(d)[1]} with a condition around it (c ? a : b, c ==> P, a range) or with a __requires"
        ),
    ),
)
