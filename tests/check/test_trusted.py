"""The list of trusted folders is complete: it contains every module that the replaying process imports."""

from __future__ import annotations

import subprocess
import sys

import pytest

from optigpu.check.trusted import IMPORTED_UNTRUSTED, ROOT, TRUSTED, TRUSTED_FOR_CODE, files_of, table, trusted_lines
from optigpu.cli import main
from tests.conftest import ROOT as REPOSITORY

IMPORTED = (
    "import sys, optigpu.check.replay, optigpu.solver.z3_solver, optigpu.solver.cvc5_solver\n"
    "print(*(m for m in sys.modules if m.startswith('optigpu.')))"
)


def trusted_files() -> set[str]:
    return {str(f) for folder in TRUSTED for f in files_of(folder)}


def test_trusted_folders_have_files() -> None:
    for folder in (*TRUSTED, *TRUSTED_FOR_CODE):
        assert files_of(folder), folder


def test_what_the_replaying_process_imports_is_listed() -> None:
    """All of it is trusted, except what is named as not."""
    out = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True).stdout
    modules = {m.removeprefix("optigpu.").replace(".", "/") for m in out.split()}
    files = {f"{m}.py" for m in modules if (ROOT / f"{m}.py").is_file()}
    files |= {f"{m}/__init__.py" for m in modules if m != "search" and (ROOT / m).is_dir()}
    assert files <= trusted_files() | set(IMPORTED_UNTRUSTED)
    assert set(IMPORTED_UNTRUSTED) <= files


def test_the_documentation_has_the_list() -> None:
    """`python -c "from optigpu.check.trusted import table; print(table())"` prints it."""
    assert table() in (REPOSITORY / "docs" / "logic.md").read_text(encoding="utf-8")


def test_an_audit_prints_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(REPOSITORY / "examples" / "copy.c")]) == 0
    out = capsys.readouterr().out
    assert "z3" in out and "Python" in out and f"{sum(trusted_lines().values())} lines of ours" in out
    for folder, task in TRUSTED.items():
        assert f"{folder}: {task}" in out
