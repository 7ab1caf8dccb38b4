"""Where a program's text comes from: places in contracts, notebooks, text that is gone or has changed."""

from __future__ import annotations

import linecache
import sys
from pathlib import Path
from typing import Any

import pytest

import optigpu as og
from optigpu.check.verdict import Verdict
from optigpu.check.verify import Settings, Verifier
from optigpu.decorated_program import PROGRAM_EXPORTS
from optigpu.report.diagnostics import render
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.source import Loc
from tests.support.python_programs import HEADER, python_program, refusal

COPY = """@og.program
@og.requires("A: int -> float")
@og.reads("a ~> Matrix1(n, A)")
@og.writes("b ~> Matrix1(n, A)")
def f(a: og.f32[n]) -> og.f32[n]:
    b = og.empty(og.f32[n])
    for i in og.range(n):
        b[i] = a[{index}]
    return b
"""


@pytest.mark.parametrize(
    ("string", "line", "column"),
    [
        ('"k > 0 && missing > 0"', 2, 24),
        ("'''k > 0 &&\n  missing > 0'''", 3, 3),
        ('"""k > 0 &&\n\n    é(missing) > 0"""', 4, 5),
        ('"k > 0 && "\n    "missing > 0"', 3, 6),
        ("(\"k > 0 && \"  # why\n    'missing > 0')", 3, 6),
        ('r"""\n\tmissing > 0"""', 3, 2),
        ('"k > \\\n0 && missing > 0"', 3, 6),
    ],
)
def test_an_error_in_a_formula_has_its_place(string: str, line: int, column: int, tmp_path: Path) -> None:
    d = refusal(f"@og.program\n@og.requires({string})\ndef f(k: int):\n    pass\n", tmp_path)[3]
    assert (d.loc.line - HEADER.count("\n"), d.loc.column) == (line, column), d


def test_places_count_characters_not_bytes(tmp_path: Path) -> None:
    code, line, marked, d = refusal("@og.program\ndef f(k: int):\n    'größe' ; y = zz\n", tmp_path)
    assert (code, line, marked, d.loc.column) == ("OG100", 3, "zz", 19)


def test_a_failed_proof_shows_the_line_of_the_python_file(tmp_path: Path) -> None:
    verifier = Verifier(Settings(None))
    assert verifier.verify(python_program(COPY.format(index="i"), tmp_path).program).verified
    wrong = python_program(COPY.format(index="i + 1"), tmp_path)
    (failure,) = verifier.verify(wrong.program).failures
    assert failure.verdict is not Verdict.VERIFIED and failure.problem is not None
    assert failure.problem.loc == Loc(wrong.file, 8 + HEADER.count("\n"), 16, 8 + HEADER.count("\n"), 24)


def test_a_function_in_a_class_and_in_a_function(tmp_path: Path) -> None:
    inner = "".join(f"        {line}\n" for line in COPY.format(index="i").splitlines())
    text = f"class C:\n    def outer():\n{inner}        return f\nf = C.outer()\n"
    assert (
        python_program(text, tmp_path).program.items == python_program(COPY.format(index="i"), tmp_path).program.items
    )


def test_text_that_python_does_not_keep(tmp_path: Path) -> None:
    names: dict[str, Any] = {}
    with pytest.raises(InputError, match="the source of `f` is not there"):
        exec(HEADER + COPY.format(index="i"), names)
    with pytest.raises(InputError, match="not a lambda"):
        og.program(lambda k: None)
    with pytest.raises(InputError, match="decorates a function, not int"):
        og.program(3)  # type: ignore[call-overload]


def run_cell(name: str, text: str, names: dict[str, Any]) -> None:
    """As a cell of a notebook: Python keeps its text under a name that is no file."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec"), names)


def test_cells_of_a_notebook() -> None:
    names: dict[str, Any] = {}
    run_cell("<cell 1>", HEADER + "@og.program\ndef g(a: og.f32[n]):\n    a[0] = 1.0\n", names)
    run_cell("<cell 2>", "@og.program\ndef f(a: og.f32[m, n]):\n    g(a[0])\n", names)
    assert [f.name for f in names["f"].program.functions()] == ["g", "f"]
    with pytest.raises(InputError) as error:
        run_cell("<cell 3>", "\n@og.program\ndef h(a: og.f32[n]):\n    a[0] = zz\n", names)
    assert "<cell 3>:4:12" in render(error.value.diagnostic)
    assert "4 |     a[0] = zz" in render(error.value.diagnostic)
    run_cell("<cell 1>", HEADER + "@og.program\ndef g(a: og.f32[n]):\n    a[0] = 2.0\n", names)
    with pytest.raises(InputError, match="`g` means something else now"):
        names["f"].program  # noqa: B018
    run_cell("<cell 2>", "@og.program\ndef f(a: og.f32[m, n]):\n    g(a[0])\n", names)
    assert "2.0f" in names["f"].c()


def test_a_number_of_the_module_that_changes(tmp_path: Path) -> None:
    p = python_program("@og.program\ndef f(a: og.i32[n]):\n    a[0] = K\n", tmp_path)
    assert "#define K 3" in p.c()
    p.function.__globals__["K"] = 4
    with pytest.raises(InputError, match="`K` means something else now"):
        p.c()


def test_a_size_that_becomes_another_name(tmp_path: Path) -> None:
    p = python_program("@og.program\ndef f(a: og.i32['l']):\n    for i in og.range(l):\n        a[i] = l\n", tmp_path)
    assert "for (int i = 0; i < l; i++)" in p.c()
    p.function.__globals__["l"] = 4
    with pytest.raises(InputError, match="`l` means something else now"):
        p.c()


def test_a_definition_that_changes() -> None:
    names: dict[str, Any] = {}
    run_cell("<cell 4>", HEADER + "og.define('twice', 'fun (x: int) -> 2 * x')\n", names)
    run_cell(
        "<cell 5>", "@og.program\n@og.ensures('_Res == twice(k)')\ndef f(k: int) -> int:\n    return 2 * k\n", names
    )
    run_cell("<cell 4>", HEADER + "og.define('twice', 'fun (x: int) -> 2 * x')\n", names)
    assert "__DEF(twice" in names["f"].c()
    run_cell("<cell 4>", HEADER + "og.define('twice', 'fun (x: int) -> 3 * x')\n", names)
    with pytest.raises(InputError, match="`twice` means something else now"):
        names["f"].c()


def test_a_file_that_changes_after_its_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "changing.py"
    path.write_text(HEADER + "def f(a: og.i32[n]):\n    a[0] = 1\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    import changing  # type: ignore[import-not-found]

    assert "a[0] = 1;" in og.program(changing.f).c()
    path.write_text(HEADER + "def f(a: og.i32[n]):\n    a[0] = 20\n", encoding="utf-8")
    with pytest.raises(InputError, match="has changed since Python read it"):
        og.program(changing.f)


def test_the_package_names_all_words() -> None:
    assert set(PROGRAM_EXPORTS) == set(og._OF_PROGRAMS)
    assert all(getattr(og, name) is word for name, word in PROGRAM_EXPORTS.items())
    with pytest.raises(AttributeError):
        og.no_such_word  # noqa: B018
