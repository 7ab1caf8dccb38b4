"""Auditing: replay a certificate against the program as it stands, without inference."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from optigpu.checker import certificate
from optigpu.checker.elaborate import elaborate
from optigpu.checker.verdict import ProgramResult
from optigpu.kernel.calls import Kernel
from optigpu.kernel.facts import Facts
from optigpu.kernel.judge import Judge, Solver
from optigpu.kernel.ledger import Ledger
from optigpu.kernel.state import Rejected
from optigpu.prover.guide import Search
from optigpu.syntax.printer import ProgramPrinter
from optigpu.syntax.program import Function, Program, Role


@dataclass
class AuditResult:
    theorems: dict[str, str] = field(default_factory=dict)  # function -> hash of its contract
    failures: dict[str, str] = field(default_factory=dict)
    axioms: list[str] = field(default_factory=list)
    admitted: list[str] = field(default_factory=list)
    solver: str = ""
    normaliser: int = 0
    solver_answers: int = 0
    trusted_lines: dict[str, int] = field(default_factory=dict)

    @property
    def assumptions(self) -> int:
        return len(self.axioms) + len(self.admitted)


def contract_text(f: Function) -> str:
    """The signature and contract of a function as canonical text."""
    printer = ProgramPrinter()
    printer.out.add(printer.signature(f))
    printer.clauses(f.contract)
    return printer.out.text()


def contract_hash(f: Function) -> str:
    return hashlib.sha256(contract_text(f).encode()).hexdigest()


def certificate_of(program: Program, result: ProgramResult) -> str:
    """The certificate of a verified program, with the proofs of what it calls from included files."""
    proofs = {r.name: r.proof for r in (*result.called, *result.functions) if r.proof}
    header: dict[str, Any] = {
        "contracts": {f.name: contract_hash(f) for f in _provable(program) if f.name in proofs},
        "ledger": {"axioms": result.axioms, "admitted": result.admitted, "solver": result.solver, "floats": "reals"},
    }
    return certificate.write(proofs, header)


def _provable(program: Program) -> list[Function]:
    """Functions and lemmas, those of included files too, callees first."""
    functions = [f for f in program.flat_items() if isinstance(f, Function)]
    return [f for f in functions if not f.admitted and (f.role is not Role.GHOST or f.body)]


def audit(program: Program, text: str, solver: Solver) -> AuditResult:
    """Replay every proof of a certificate. Raises ValueError if the file is no certificate."""
    proofs, header = certificate.read(text)
    elaborated = elaborate(program)
    ledger = Ledger()
    judge = Judge(solver, root=Facts(Search()))
    out = AuditResult(solver=solver.description, trusted_lines=trusted_lines())
    mine = program.functions()
    claimed = header.get("contracts")
    if not isinstance(claimed, dict):
        raise ValueError("not a certificate (it names no contracts)")
    for f in _provable(program):
        if f.name not in proofs:
            if f in mine:  # of others only those are needed that are called
                out.failures[f.name] = "the certificate has no proof of it"
            continue
        if claimed.get(f.name) != contract_hash(f):
            out.failures[f.name] = "its contract is not the one that was certified"
            continue
        try:
            theorem = certificate.replay(Kernel(judge, elaborated.program, ledger), proofs[f.name])
        except Rejected as r:
            out.failures[f.name] = f"the proof is rejected: {r}"
        except Exception as e:  # arguments of any kind lead to errors of any kind, and to no theorem
            out.failures[f.name] = f"the proof does not fit the program: {type(e).__name__}: {e}"
        else:
            if theorem.function.name == f.name:
                out.theorems[f.name] = contract_hash(f)
            else:
                out.failures[f.name] = "the proof is of another function"
    out.axioms, out.admitted = sorted(ledger.axioms), sorted(ledger.admitted)
    out.normaliser, out.solver_answers = judge.by_normaliser, judge.by_solver
    return out


THREAD_RULES = ("groups", "threads", "thread_loops", "launch")


def trusted_lines() -> dict[str, int]:
    """What has to be right for a verdict to be right, with its size."""
    root = Path(__file__).parent.parent

    def count(*patterns: str) -> int:
        return sum(len(p.read_text(encoding="utf-8").splitlines()) for g in patterns for p in root.glob(g))

    threads = count(*(f"kernel/{name}.py" for name in THREAD_RULES))
    return {
        "kernel": count("kernel/**/*.py") - threads,
        "kernel's rules for threads": threads,
        "elaboration (C to the kernel's programs)": count(
            "checker/elaborate.py", "checker/formulas.py", "checker/alignment.py"
        ),
        "solver interface": count("prover/z3_solver.py", "prover/cvc5_solver.py", "prover/cache.py"),
        "front end": count("frontend/*.py", "frontend/*.lark"),
    }
