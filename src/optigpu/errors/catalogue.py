"""All rows of the error catalogue, by code and by cause."""

from __future__ import annotations

from optigpu.errors.arithmetic_errors import ARITHMETIC_ERRORS
from optigpu.errors.call_errors import CALL_ERRORS
from optigpu.errors.cause_keys import CauseKey, key_of
from optigpu.errors.contract_errors import CONTRACT_ERRORS
from optigpu.errors.emission_errors import EMISSION_ERRORS
from optigpu.errors.error_row import ErrorRow, ProofErrorRow
from optigpu.errors.input_errors import INPUT_ERRORS
from optigpu.errors.launch_errors import LAUNCH_ERRORS
from optigpu.errors.loop_errors import LOOP_ERRORS
from optigpu.errors.memory_errors import MEMORY_ERRORS
from optigpu.errors.other_errors import OTHER_ERRORS, UNKNOWN
from optigpu.errors.race_errors import RACE_ERRORS
from optigpu.errors.run_errors import RUN_ERRORS
from optigpu.errors.script_errors import SCRIPT_ERRORS
from optigpu.errors.thread_level_errors import THREAD_LEVEL_ERRORS
from optigpu.errors.tile_errors import TILE_ERRORS
from optigpu.kernel.causes import Cause

CATALOGUE: dict[str, ErrorRow] = {
    row.code: row
    for row in sorted(
        (
            *INPUT_ERRORS,
            *RUN_ERRORS,
            *MEMORY_ERRORS,
            *ARITHMETIC_ERRORS,
            *CONTRACT_ERRORS,
            *CALL_ERRORS,
            *LOOP_ERRORS,
            *RACE_ERRORS,
            *THREAD_LEVEL_ERRORS,
            *TILE_ERRORS,
            *LAUNCH_ERRORS,
            *OTHER_ERRORS,
            *EMISSION_ERRORS,
            *SCRIPT_ERRORS,
        ),
        key=lambda row: row.code,
    )
}
PROOF_ERRORS = {code: row for code, row in CATALOGUE.items() if isinstance(row, ProofErrorRow)}
_BY_CAUSE: dict[CauseKey, str] = {cause: row.code for row in PROOF_ERRORS.values() for cause in row.causes}


def code_of(cause: Cause) -> str:
    """The code of a failed proof."""
    return _BY_CAUSE.get(key_of(cause), UNKNOWN.code)


def proof_error(code: str) -> ProofErrorRow:
    return PROOF_ERRORS.get(code, UNKNOWN)
