"""Every CPU example exists as annotated C and as Python, and the two are one program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from optigpu.decorated_program import PythonProgram
from optigpu.frontend import parse_file, parse_text
from optigpu.frontend.python.python_program import file_program
from optigpu.syntax.printer import print_program
from tests.conftest import EXAMPLES, ROOT
from tests.support.plain_comparison import compared_runs
from tests.support.python_programs import EXAMPLES_IN_PYTHON, names_of

TWINS = {
    path.stem: next((p for p in EXAMPLES if p.stem in (path.stem, path.stem.removeprefix("array_"))), None)
    for path in EXAMPLES_IN_PYTHON
}


@pytest.fixture(scope="module")
def examples() -> dict[str, dict[str, Any]]:
    return {path.stem: names_of(path) for path in EXAMPLES_IN_PYTHON}


def test_every_example_has_both_forms() -> None:
    assert len(EXAMPLES) > 20
    assert {None if p is None else p.stem for p in TWINS.values()} == {p.stem for p in EXAMPLES}


@pytest.mark.parametrize("path", EXAMPLES_IN_PYTHON, ids=lambda p: p.stem)
def test_both_forms_are_one_program(path: Path, examples: dict[str, dict[str, Any]]) -> None:
    twin = TWINS[path.stem]
    assert twin is not None
    program = file_program(str(path), examples[path.stem])
    assert program is not None
    assert program.items == parse_file(twin).items
    assert parse_text(print_program(program)).items == program.items


@pytest.mark.parametrize("path", EXAMPLES_IN_PYTHON, ids=lambda p: p.stem)
def test_every_statement_has_its_place_in_the_python_file(path: Path, examples: dict[str, dict[str, Any]]) -> None:
    program = file_program(str(path), examples[path.stem])
    assert program is not None
    lines = path.read_text(encoding="utf-8").splitlines()
    for f in program.functions():
        assert f.loc.file == str(path)
        assert lines[f.loc.line - 1][f.loc.column - 1 :].startswith(f.name)
        for s in f.body:
            assert s.loc.file == str(path) and s.loc.line > f.loc.line


@pytest.mark.parametrize("path", EXAMPLES_IN_PYTHON, ids=lambda p: p.stem)
def test_python_and_the_program_compute_the_same(path: Path, examples: dict[str, dict[str, Any]]) -> None:
    """The Python function itself, run by Python, beside the interpreter on the program that it became."""
    programs = [p for p in examples[path.stem].values() if isinstance(p, PythonProgram)]
    assert programs
    for p in programs:
        assert compared_runs(p) >= 5


def test_a_wrong_twin_is_another_program(tmp_path: Path) -> None:
    text = (
        (ROOT / "examples" / "python" / "reverse.py")
        .read_text(encoding="utf-8")
        .replace("n - 1 - i] =", "n - 2 - i] =")
    )
    path = tmp_path / "reverse.py"
    path.write_text(text, encoding="utf-8")
    program = file_program(str(path), names_of(path))
    assert program is not None
    assert program.items != parse_file(ROOT / "examples" / "reverse.c").items
