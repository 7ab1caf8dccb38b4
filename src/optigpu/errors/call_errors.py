"""Errors of proofs about calls: what the called function requires."""

from __future__ import annotations

from optigpu.errors.cause_keys import Rejection, rejections
from optigpu.errors.check_causes import UnverifiedCallee
from optigpu.errors.details import Details
from optigpu.errors.error_row import ProofErrorRow
from optigpu.kernel.causes import (
    MissingPermission,
    Operation,
    Overlap,
    Uninitialised,
    UnprovedFact,
    WrongShape,
    WrongSizes,
    WrongValue,
)
from optigpu.search.search_causes import UnknownVariable


def _required_memory(d: Details) -> str:
    match d.cause:
        case WrongValue():
            need = "hold what"
        case Uninitialised():
            need = "be written as"
        case _:
            need = "be held as"
    return f"{d.array} is not shown to {need} the called function requires"


def _unverified(d: Details) -> str:
    name = d.cause.function if isinstance(d.cause, UnverifiedCallee) else "?"
    return f"`{name}` is called, but it is not verified itself"


def _no_value(d: Details) -> str:
    name = d.cause.name if isinstance(d.cause, UnknownVariable) else "?"
    return f"no value was found for the logical variable `{name}` of the called function"


CALL_ERRORS = (
    ProofErrorRow(
        "OG315",
        "precondition of a call that does not follow",
        "A fact that the called function requires does not follow here.",
        causes=rejections(UnprovedFact, Operation.CALL),
        message="a precondition of the called function is not shown to hold",
    ),
    ProofErrorRow(
        "OG316",
        "memory that a call requires",
        "Memory that the called function requires is not held here, overlaps with another argument, or holds something else.",
        causes=tuple(Rejection(c, Operation.CALL) for c in (MissingPermission, Overlap, WrongValue, Uninitialised)),
        message=_required_memory,
    ),
    ProofErrorRow(
        "OG317",
        "array argument of other sizes",
        "The inner sizes of an array argument must be those the parameter declares: they fix where its elements lie.",
        causes=(Rejection(WrongSizes, Operation.CALL), Rejection(WrongShape, Operation.CALL)),
        message="the sizes of {array} are not those that the called function declares",
    ),
    ProofErrorRow(
        "OG330",
        "call of a function that is not verified",
        "A verified function may only call verified functions. Fix the called one first.",
        causes=rejections(UnverifiedCallee, Operation.CALL),
        message=_unverified,
    ),
    ProofErrorRow(
        "OG331",
        "logical variable of a call without a value",
        "A logical variable of the called function is not determined by the memory it is called with.",
        causes=rejections(UnknownVariable, Operation.CALL),
        message=_no_value,
        help="let a permission of its contract name it, as in Matrix1(n, A)",
    ),
)
