"""Errors of proofs about calls: what the called function requires."""

from __future__ import annotations

from optigpu.errors.details import Details
from optigpu.errors.error_row import ProofErrorRow


def _required_memory(d: Details) -> str:
    need = {"value": "hold what", "init": "be written as"}.get(d.why, "be held as")
    return f"{d.array} is not shown to {need} the called function requires"


CALL_ERRORS = (
    ProofErrorRow(
        "OG315",
        "precondition of a call that does not follow",
        "A fact that the called function requires does not follow here.",
        causes=(("call", "fact"),),
        message="a precondition of the called function is not shown to hold",
    ),
    ProofErrorRow(
        "OG316",
        "memory that a call requires",
        "Memory that the called function requires is not held here, overlaps with another argument, or holds something else.",
        causes=tuple(("call", why) for why in ("permission", "overlap", "value", "init")),
        message=_required_memory,
    ),
    ProofErrorRow(
        "OG317",
        "array argument of other sizes",
        "The inner sizes of an array argument must be those the parameter declares: they fix where its elements lie.",
        causes=(("call", "sizes"), ("call", "shape")),
        message="the sizes of {array} are not those that the called function declares",
    ),
    ProofErrorRow(
        "OG330",
        "call of a function that is not verified",
        "A verified function may only call verified functions. Fix the called one first.",
        causes=(),
        message=lambda d: f"`{d.text('function')}` is called, but it is not verified itself",
    ),
    ProofErrorRow(
        "OG331",
        "logical variable of a call without a value",
        "A logical variable of the called function is not determined by the memory it is called with.",
        causes=(("call", "variable"),),
        message=lambda d: f"no value was found for the logical variable `{d.text('name')}` of the called function",
        help="let a permission of its contract name it, as in Matrix1(n, A)",
    ),
)
