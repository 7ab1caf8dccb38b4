"""Errors of proofs that have no better words."""

from __future__ import annotations

from optigpu.errors.cause_keys import rejections
from optigpu.errors.check_causes import TimeIsOver
from optigpu.errors.details import Details
from optigpu.errors.error_row import ErrorRow, ProofErrorRow
from optigpu.kernel.causes import Operation

UNKNOWN = ProofErrorRow(
    "OG399",
    "rejected rule without better words",
    "A rule of the kernel was rejected in a way that has no better words yet.",
    causes=(),
    message=lambda d: f"the checker could not go on here ({d.operation.value}: {d.cause.reason})",
)


def _time_is_over(d: Details) -> str:
    seconds = d.cause.seconds if isinstance(d.cause, TimeIsOver) else "?"
    return f"the proof of this function was ended after {seconds} s, and had come to this place"


TIME_IS_OVER = ProofErrorRow(
    "OG398",
    "proof that takes longer than allowed",
    "The proof of a function took longer than `--timeout` (or `timeout` of a script) allows, so nothing is claimed about it.\n"
    "Whether this happens depends on the machine; without a limit, verdicts do not.",
    causes=rejections(TimeIsOver, Operation.ORDER),
    message=_time_is_over,
    help="allow more time, state contracts of loops, or divide the function",
)
OTHER_ERRORS = (
    TIME_IS_OVER,
    ErrorRow(
        "OG300",
        "not supported by the checker",
        "The program uses something that the checker cannot speak about yet. Nothing is claimed about it.",
    ),
    UNKNOWN,
)
