"""Writing certificates of verified programs."""

from __future__ import annotations

from collections.abc import Mapping

from optigpu.check.certificate import CertificateHeader, certificate_text
from optigpu.check.certified_text import TOOL, assumptions, contract_hash, whole_text
from optigpu.check.verdict import ProgramResult
from optigpu.elaborate.weakening import open_name
from optigpu.syntax.program import Program
from optigpu.syntax.recursion_limit import deep


@deep
def certificate_of(program: Program, result: ProgramResult, emission: Mapping[str, object] | None = None) -> str:
    """The certificate of a program without failures. `emission`: how code was made from it, if any was."""
    result = result.in_full()
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
    proofs = {r.name: r.proof for r in proved if r.proof}
    proofs |= {open_name(r.name): r.opened.proof for r in proved if r.opened is not None}
    return certificate_text(proofs, header)
