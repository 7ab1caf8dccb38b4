"""Functions that are declared by their contract alone: in the ledger, in certificates, and refused by runs and emission."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from optigpu.check.audit import AuditResult, audit, certified
from optigpu.check.certificate import sealed
from optigpu.check.certify import certificate_of
from optigpu.check.verify import Verifier
from optigpu.cli import main
from optigpu.frontend import parse_text
from optigpu.solver.z3_solver import Z3Solver
from optigpu.syntax.gpu_rules import RULES, TRANSITIONS, rule_text
from optigpu.syntax.printer import print_program
from optigpu.syntax.program import RuleDeclaration
from tests.conftest import ROOT

LISTING = ROOT / "examples" / "thesis" / "listing_4_19.c"
TEXT = LISTING.read_text(encoding="utf-8")


def test_the_ledger_has_the_function(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(LISTING)]) == 0
    assert "admitted: my_blocksync" in capsys.readouterr().out
    assert main(["audit", str(LISTING)]) == 0
    assert "admitted     my_blocksync" in capsys.readouterr().out
    assert main(["audit", str(LISTING), "--no-assumptions"]) == 1
    capsys.readouterr()
    assert main(["audit", str(ROOT / "examples" / "thesis" / "figure_4_2.c"), "--no-assumptions"]) == 0


def test_a_run_says_that_there_is_no_code(capsys: pytest.CaptureFixture[str]) -> None:
    main(["test", str(LISTING)])
    out = capsys.readouterr().out
    assert "not tested: `my_blocksync` is admitted without a body" in out and "line 37" in out


def test_no_code_is_emitted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["build", str(LISTING), "-o", str(tmp_path / "out")]) == 2
    assert "OG407" in capsys.readouterr().err and not list(tmp_path.iterdir())


def certificate(text: str) -> str:
    program = parse_text(text)
    result = Verifier().verify(program)
    assert result.verified
    return certificate_of(program, result)


def replayed(text: str) -> AuditResult:
    return audit(certified(text).program, text, Z3Solver())


TAMPERED = (
    ("Sync(block_sync_mem, H)", "H"),  # no barrier
    ("ThreadsCtx(t..t + tpb)", "ThreadsCtx(t..t + 32)"),
    ("KernelParams(_, tpb, _)", "KernelParams(_, 32, _)"),
    ("__device__ void my_blocksync", "void my_blocksync"),
    ("    my_blocksync();\n", ""),
    ("  __admitted();\n}\n\nvoid reverse", "}\n\nvoid reverse"),  # not admitted: a body that does nothing
)


@pytest.mark.parametrize(("old", "new"), TAMPERED)
def test_a_certificate_with_another_contract_is_refused(old: str, new: str) -> None:
    """Whoever changes the contract and seals the file again is left with what the kernel accepts."""
    data = json.loads(certificate(TEXT))
    start = data["program"].index("__device__ void my_blocksync")
    head, tail = data["program"][:start], data["program"][start:]
    assert old in tail
    data["program"] = head + tail.replace(old, new, 1)
    try:
        result = replayed(sealed(data))
    except ValueError:  # the program is not in the language any more
        return
    assert result.failures


def test_a_ledger_without_the_function_is_refused() -> None:
    data = json.loads(certificate(TEXT))
    assert data["ledger"]["admitted"] == ["my_blocksync"]
    data["ledger"]["admitted"] = []
    assert "ledger" in replayed(sealed(data)).failures


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_can_be_declared_and_printed(rule: str) -> None:
    """The printed declaration is read as the same one."""
    names = [rule, "other_name"] if rule in TRANSITIONS else [rule]
    for name in names:
        for type_ in (None, "int", "double"):
            program = parse_text(rule_text(rule, name, type_))
            assert program.items == (RuleDeclaration(name, rule),)
            assert parse_text(print_program(program)).items == program.items
