"""Errors of proofs that have no better words."""

from __future__ import annotations

from optigpu.errors.error_row import ErrorRow, ProofErrorRow

UNKNOWN = ProofErrorRow(
    "OG399",
    "rejected rule without better words",
    "A rule of the kernel was rejected in a way that has no better words yet.",
    causes=(),
    message=lambda d: f"the checker could not go on here ({d.operation.value}: {d.cause.reason})",
)
OTHER_ERRORS = (
    ErrorRow(
        "OG300",
        "not supported by the checker",
        "The program uses something that the checker cannot speak about yet. Nothing is claimed about it.",
    ),
    UNKNOWN,
)
