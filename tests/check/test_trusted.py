"""The list of what is trusted is complete: it has all files of the kernel and all that the replaying process imports."""

from __future__ import annotations

import subprocess
import sys

import pytest

from optigpu.check.trusted import FILES, FOR_CODE, NOT_TRUSTED, ROOT, files_of, matching, table, trusted_lines
from optigpu.cli import main
from tests.conftest import ROOT as REPOSITORY

IMPORTED = (
    "import sys, optigpu.check.replay, optigpu.solver.z3_solver, optigpu.solver.cvc5_solver\n"
    "print(*(m for m in sys.modules if m.startswith('optigpu.')))"
)


def listed() -> set[str]:
    return {f for part in FILES for f in files_of(part)}


def test_every_file_is_listed_once() -> None:
    files = [f for part in (*FILES, *FOR_CODE) for f in files_of(part)]
    assert len(files) == len(set(files))
    kernel = {f"kernel/{p.name}" for p in (ROOT / "kernel").glob("*.py")}
    assert kernel == {f for f in listed() if f.startswith("kernel/")}
    for part in (*FILES, *FOR_CODE):
        assert files_of(part), part


def test_what_the_replaying_process_imports_is_listed() -> None:
    """All of it is trusted, except what is named as not: advice, which the kernel does not believe, and data of a search."""
    out = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True).stdout
    modules = {m.removeprefix("optigpu.").replace(".", "/") + ".py" for m in out.split()}
    files = {m for m in modules if (ROOT / m).is_file()}
    assert files <= listed() | {str(p.relative_to(ROOT)) for p in matching(NOT_TRUSTED)}
    unused = {str(p.relative_to(ROOT)) for p in matching(NOT_TRUSTED)} - files
    assert not unused


def test_the_documentation_has_the_list() -> None:
    """`python -c "from optigpu.check.trusted import table; print(table())"` prints it."""
    assert table() in (REPOSITORY / "docs" / "logic.md").read_text(encoding="utf-8")


def test_an_audit_prints_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(REPOSITORY / "examples" / "copy.c")]) == 0
    out = capsys.readouterr().out
    assert "z3" in out and "Python" in out and f"{sum(trusted_lines().values())} lines of ours" in out
    for part in FILES:
        for f in files_of(part):
            assert f.rpartition("/")[2] in out, f
