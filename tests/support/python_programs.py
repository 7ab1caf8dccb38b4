"""Programs written in Python for tests: from files, and from texts that are written to files first."""

from __future__ import annotations

import runpy
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from optigpu.decorated_program import PythonProgram
from optigpu.frontend.python.python_program import file_program
from optigpu.syntax.diagnostic import Diagnostic, InputError
from optigpu.syntax.program import Program
from tests.conftest import ROOT

EXAMPLES_IN_PYTHON = sorted((ROOT / "examples" / "python").glob("*.py"))
HEADER = (
    "import math\nimport optigpu as og\nfrom optigpu import program\n\nn, m = og.sizes('n m')\nK = 3\nEPS = 1e-5\n\n"
)
_numbers = count()


def names_of(path: Path) -> dict[str, Any]:
    """What a Python file defines."""
    return runpy.run_path(str(path), run_name=path.stem)


def program_of_text(text: str, folder: Path) -> Program:
    program = file_program("x.py", _names(text, folder))
    assert program is not None
    return program


def python_program(text: str, folder: Path, name: str = "f") -> PythonProgram:
    """The program of this name in a text."""
    found = _names(text, folder)[name]
    assert isinstance(found, PythonProgram)
    return found


def _names(text: str, folder: Path) -> dict[str, Any]:
    path = folder / f"program{next(_numbers)}.py"
    path.write_text(HEADER + text, encoding="utf-8")
    return names_of(path)


def refusal(text: str, folder: Path) -> tuple[str, int, str, Diagnostic]:
    """The code of the error that a text gives, its line without the header, and the text that it marks."""
    with pytest.raises(InputError) as error:
        program_of_text(text, folder)
    d = error.value.diagnostic
    lines = text.split("\n")
    line = d.loc.line - HEADER.count("\n")
    marked = ""
    if 0 < line <= len(lines):
        end = d.loc.end_column if d.loc.end_line == d.loc.line else None
        marked = lines[line - 1][d.loc.column - 1 : None if end is None else end - 1]
    return d.code, line, marked, d
