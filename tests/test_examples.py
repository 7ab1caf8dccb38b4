"""Every example parses, prints back, compiles as it stands, runs alike in C and in the interpreter, and keeps its contract."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from optigpu.codegen.c import emit_c
from optigpu.commands.differential import compare
from optigpu.frontend import parse_file, parse_text
from optigpu.frontend.parameter_types import effective_types
from optigpu.interp.runner import Runner
from optigpu.interp.testing import test_function as run_tests
from optigpu.runtime.compilers import c_compiler
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.signature import signature_of
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.macro_constants import without_constants
from optigpu.syntax.printer import print_program
from tests.conftest import EXAMPLES, GPU_EXAMPLES, GPU_PROGRAMS, ROOT
from tests.support.running import PATIENCE

run_tests.__test__ = False
INCLUDE = ROOT / "src" / "optigpu" / "frontend" / "include"


def example_id(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", EXAMPLES + GPU_EXAMPLES + GPU_PROGRAMS, ids=example_id)
def test_prints_back_to_the_same_program(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)  # what it includes is relative to it
    program = parse_file(path)
    printed = print_program(program)
    reparsed = parse_text(printed)
    assert reparsed.items == program.items
    assert print_program(reparsed) == printed


@pytest.mark.parametrize("path", EXAMPLES, ids=example_id)
def test_compiles_unchanged_as_c(path: Path, tmp_path: Path) -> None:
    command = [c_compiler() or "cc", "-std=c11", "-Wall", "-Werror", "-fopenmp", f"-I{INCLUDE}", "-c", str(path)]
    result = subprocess.run([*command, "-o", str(tmp_path / "x.o")], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("path", EXAMPLES, ids=example_id)
def test_plain_c_compiles_without_warnings(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "plain.c"
    file.write_text(emit_c(parse_file(path)), encoding="utf-8")
    assert "__" not in file.read_text(encoding="utf-8").replace("__VA_ARGS__", "")
    command = [c_compiler() or "cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fopenmp", "-c", str(file)]
    result = subprocess.run([*command, "-o", str(tmp_path / "x.o")], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("path", EXAMPLES, ids=example_id)
def test_c_and_interpreter_agree(path: Path) -> None:
    program = parse_file(path)
    runner = Runner(program)
    for f in program.functions():
        seen = without_constants(program, f)
        compiled = CFunction(emit_c(program), signature_of(seen, effective_types(seen)))
        assert compare(compiled, runner, f, runs=30) is None


@pytest.mark.parametrize("path", EXAMPLES, ids=example_id)
def test_keeps_its_contract(path: Path) -> None:
    program = parse_file(path)
    for f in program.functions():
        report = run_tests(Runner(program), f, seconds=PATIENCE, most=150)
        assert report.failure is None, str(report.failure)
        assert report.runs >= 30


def test_listing_2_1_has_its_strings_on_one_line_each() -> None:
    """The OptiGPU thesis prints two annotation strings over two lines each. C ends a string on its line, and so do we: some
    compilers go on with a warning, and take what follows for code."""
    text = (ROOT / "examples" / "reduce.c").read_text(encoding="utf-8")
    broken_lines = text.replace("v), by :=", "v),\nby :=")
    assert broken_lines != text
    with pytest.raises(InputError, match="this string has no end"):
        parse_text(broken_lines)
