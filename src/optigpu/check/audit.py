"""Audits: replay the proofs of a certificate on a program, without search, and compare the rest of it with what is found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from optigpu.check.certificate import CertificateHeader, read_certificate
from optigpu.check.certified_text import assumptions, contract_hash, whole_text
from optigpu.check.contract_checks import contract_problem
from optigpu.check.recorded_proof import RuleCall, replay_proof
from optigpu.check.trusted import programs, trusted_lines
from optigpu.elaborate.program_elaboration import elaborate
from optigpu.elaborate.weakening import closed_name, open_name
from optigpu.frontend import parse_text
from optigpu.kernel import Judge, Kernel, Ledger, Rejected
from optigpu.light_dataclass import dataclass
from optigpu.logic.judge import Solver
from optigpu.search.advice import SearchGuide
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.program import Function, Program, Role
from optigpu.syntax.recursion_limit import deep


@dataclass
class AuditResult:
    """What was proved, what was not, and what the proofs rest on. Lists and dictionaries, since it crosses processes as JSON."""

    theorems: dict[str, str] = field(default_factory=dict)  # function -> hash of its contract
    failures: dict[str, str] = field(default_factory=dict)
    axioms: list[str] = field(default_factory=list)
    admitted: list[str] = field(default_factory=list)
    unbounded: list[int] = field(default_factory=list)  # statements whose integers are assumed to fit
    solver: str = ""
    written_by: str = ""  # tool and solver, as the certificate says
    normaliser: int = 0
    solver_answers: int = 0
    trusted_lines: dict[str, int] = field(default_factory=dict)
    programs: list[str] = field(default_factory=list)  # of others, that are trusted
    code: str = ""  # the language of the code, if it was made again and compared

    @property
    def assumptions(self) -> int:
        return len(self.axioms) + len(self.admitted) + len(self.unbounded)


@dataclass(frozen=True, slots=True)
class Certified:
    """What a certificate claims, before anything is replayed."""

    tool: str
    program: Program
    emission: Mapping[str, object] | None  # how code was made from the program
    ledger: dict[str, Any]


@deep
def certified(text: str) -> Certified:
    """Read a certificate. Raises ValueError if the text is none."""
    _, header = read_certificate(text)
    try:
        program = parse_text(header.program, "program of the certificate")
    except InputError as e:
        raise ValueError(f"not a certificate (its program cannot be read: {e})") from None
    return Certified(header.tool, program, header.emission, header.ledger)


@deep
def audit(program: Program, text: str, solver: Solver) -> AuditResult:
    """Replay every proof of a certificate. Raises ValueError if the file is no certificate."""
    proofs, header = read_certificate(text)
    try:
        left_out = frozenset((str(f), str(what), int(n)) for f, what, n in header.ledger.pop("without"))
    except (KeyError, TypeError, ValueError):
        raise ValueError("not a certificate (without)") from None
    elaborated = elaborate(program, bool(header.ledger.get("unbounded")), left_out)
    ledger = Ledger()
    judge = Judge(solver, SearchGuide())
    out = AuditResult(solver=solver.description, trusted_lines=trusted_lines(), programs=programs(solver.description))
    own = program.functions()
    included = [f for f in program.flat_items() if isinstance(f, Function) and f not in own and f.name in proofs]
    proved: list[tuple[Function, str]] = []
    for f in [*included, *own]:
        has_contract = f.name in elaborated.contract_facts
        problem = contract_problem(judge, elaborated, f) if has_contract else None
        if problem is not None:
            out.failures[f.name] = f"its contract is refused ({problem.code})"
        elif not (f.admitted or (f.role is Role.GHOST and not f.body)):  # a lemma is proved like a function
            proved += [(f, name) for name in (f.name, open_name(f.name)) if name in elaborated.program.functions]
    for f, name in proved:
        why = _not_proved(f, name, proofs, header, Kernel(judge, elaborated.program, ledger))
        if why is None:
            out.theorems[f.name] = contract_hash(f)
        else:
            out.failures[f.name] = why
    admitted = {closed_name(name) for name in ledger.admitted} | {f.name for f in own if f.admitted}
    out.axioms, out.admitted = sorted(ledger.axioms), sorted(admitted)
    out.unbounded = sorted(elaborated.statements[at] for at in ledger.unbounded)
    out.normaliser, out.solver_answers = judge.obligation_counts()
    out.written_by = f"{header.tool}, {header.ledger.pop('solver', None)}"
    if not out.failures:
        out.failures.update(_other_claims(program, header, out))
    return out


def _not_proved(
    f: Function, name: str, proofs: dict[str, list[RuleCall]], header: CertificateHeader, kernel: Kernel
) -> str | None:
    """Why the certificate does not prove a function, whose name in the kernel is `name`; None if it does."""
    if name not in proofs:
        return "the certificate has no proof of it"
    if header.contracts.get(f.name) != contract_hash(f):
        return "its contract is not the one that was certified"
    try:
        theorem = replay_proof(kernel, proofs[name])
    except Rejected as r:
        return f"the proof is rejected: {r}"
    except Exception as e:  # arguments of any kind lead to errors of any kind, and to no theorem
        return f"the proof does not fit the program: {type(e).__name__}: {e}"
    return None if theorem.function.name == name else "the proof is of another function"


def _other_claims(program: Program, header: CertificateHeader, out: AuditResult) -> dict[str, str]:
    """Other wrong claims of a certificate whose proofs all hold."""
    wrong = {}
    if header.program != whole_text(program, out.theorems):
        wrong["program"] = "it is not the one that was certified"
    if set(header.contracts) != set(out.theorems):
        wrong["contracts"] = "they are not those of the program"
    if header.ledger != assumptions(out.axioms, out.admitted, out.unbounded):
        wrong["ledger"] = "the proof rests on something else than the certificate says"
    return wrong
