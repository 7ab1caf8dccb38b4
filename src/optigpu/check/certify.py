"""Writing certificates of verified programs."""

from __future__ import annotations

import json
from collections.abc import Mapping

from optigpu.check.certificate import CertificateHeader, certificate_text, written_proofs
from optigpu.check.certified_text import TOOL, assumptions, contract_hash, whole_text
from optigpu.check.verdict import ProgramResult
from optigpu.elaborate.weakening import open_name
from optigpu.syntax.program import Program
from optigpu.syntax.recursion_limit import deep


@deep
def certificate_of(program: Program, result: ProgramResult, emission: Mapping[str, object] | None = None) -> str:
    """The certificate of a program without failures. `emission`: how code was made from it, if any was."""
    proved = [*result.called, *result.functions]
    header = CertificateHeader(
        tool=TOOL,
        program=whole_text(program, {r.name for r in proved}),
        emission=emission,
        contracts={r.name: contract_hash(program.function(r.name)) for r in proved},
        ledger={
            **assumptions(result.axioms, result.admitted, result.unbounded_statements),
            "solver": result.solver,
            "without": [list(w) for r in proved if r.opened is not None for w in r.opened.left_out],
        },
    )
    return certificate_text(_proofs_of(result), header)


def _proofs_of(result: ProgramResult) -> dict[str, object]:
    """The proofs of a result, as a certificate has them. Those of an earlier run are taken as they are: a replay will tell."""
    text = None if result.proof_store is None else result.proof_store.read()
    if text is not None:
        remembered: dict[str, object] = json.loads(text)
        return remembered
    full = result.in_full()
    proved = [*full.called, *full.functions]
    proofs = {r.name: r.proof for r in proved if r.proof}
    proofs |= {open_name(r.name): r.opened.proof for r in proved if r.opened is not None}
    written = written_proofs(proofs)
    if result.proof_store is not None and full.verified:
        result.proof_store.write(json.dumps(written, separators=(",", ":")))
    return {**written}
