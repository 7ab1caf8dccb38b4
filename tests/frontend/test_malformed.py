"""Malformed input gets a place, a caret and one sentence; nothing crashes or hangs."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optigpu.cli import main
from optigpu.frontend import parse_text
from optigpu.syntax.diagnostic import InputError
from tests.conftest import EXAMPLES, GPU_PROGRAMS, ROOT
from tests.support.verdicts import verdict_of

CASES = sorted((ROOT / "tests" / "malformed").glob("*.c"))
TEXTS = [p.read_text(encoding="utf-8") for p in EXAMPLES + GPU_PROGRAMS]


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_malformed_file_gets_a_clear_error(path: Path, capsys, monkeypatch, golden) -> None:
    monkeypatch.chdir(path.parent)
    code = main(["parse", path.name])
    out, err = capsys.readouterr()
    assert code == 2
    assert out == ""
    first, *rest = err.rstrip("\n").split("\n")
    assert first.startswith(f"{path.name}:") and "error[OG" in first
    assert any("^" in line for line in rest)
    golden(path.with_suffix(".txt"), err)


def accepts_or_explains(text: str) -> None:
    try:
        parse_text(text)
    except InputError as e:
        assert e.diagnostic.message and e.diagnostic.loc.line >= 1


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200))
def test_random_text_never_crashes(text: str) -> None:
    accepts_or_explains(text)


C_WORDS = "void int float const for if else return thread ( ) [ ] { } ; , = == < <= + - * / % & && ! ~ ? : ++ += 0 1 2.5f a b n i"
ANNOTATION_WORDS = [
    "__requires",
    "__reads",
    "__ghost",
    "MALLOC1",
    "free",
    '"n > 0"',
    '"a ~> Matrix1(n, A)"',
    '"A: int -> float"',
]
WORDS = st.sampled_from([*C_WORDS.split(), *ANNOTATION_WORDS, '"forall"', "#define", "#pragma", "\n"])


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, max_size=60))
def test_random_words_never_crash(words: list[str]) -> None:
    accepts_or_explains("void f(int n, float a[n]) {" + " ".join(words))


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(TEXTS),
    st.integers(0, 10_000),
    st.integers(0, 10_000),
    st.sampled_from([*'();,"*+<>=[]{}-~.:_ab01\n', ""]),
)
def test_damaged_programs_never_crash(text: str, start: int, length: int, replacement: str) -> None:
    start %= len(text)
    accepts_or_explains(text[:start] + replacement + text[start + length % 12 :])


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(TEXTS), st.integers(0, 10_000))
def test_truncated_programs_never_crash(text: str, end: int) -> None:
    accepts_or_explains(text[: end % len(text)])


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("x = " + "- " * 5000 + "1;", "OG015 1:430"),
        ("x = " + "1 + " * 5000 + "1;", "OG015 1:19240"),
        ("x = " + "1 ? 1 : " * 3000 + "1;", "OG015 1:1624"),
        ("{" * 3000 + "}" * 3000, "OG015 1:228"),
        ("if (x) " * 3000 + "x = 1;", "OG015 1:1428"),
        ("for (int i = 0; i < 1; i++) " * 1000 + "x = 1;", "OG015 1:5628"),
        ("if (x) { } " + "else if (x) { } " * 2000, "OG015 1:3228"),
        ("x = 1" + "0" * 100_000 + ";", "OG006 1:32"),
        ("x = 1e" + "9" * 1000 + ";", "OG006 1:32"),
        ("int a[1] = {0}; a" + "[0]" * 3000 + " = 1;", "OG106 1:44"),
        ("int a[1] = {0}; x = " + "a[" * 3000 + "0" + "]" * 3000 + ";", "OG015 1:446"),
        ("x = " + "min(1, " * 1000 + "1" + ")" * 1000 + ";", "OG015 1:1425"),
        ('__ASSERT("' + "(" * 3000 + ")" * 3000 + '");', "OG001 1:3038"),
        ('__ASSERT("' + "fun x -> " * 3000 + '1");', "OG015 1:1829"),
        ('__ASSERT("' + "!" * 3000 + 'true");', "OG015 1:237"),
    ],
    ids=lambda b: b[:20].replace(" ", ""),
)
def test_extreme_nesting_and_numbers_are_explained(body: str, error: str) -> None:
    assert verdict_of("void f(int n) { int x = 0; " + body + " }") == error


def test_contracts_of_any_length_are_not_waited_for() -> None:
    clauses = '__reads("a ~> Cells1(n), a ~> Cells1(n)");' * 600
    for body in (clauses, "for (int i = 0; i < n; i++) { " + clauses.replace("reads", "xreads") + " }"):
        with pytest.raises(InputError, match="more than 1000 things"):
            parse_text(f"void f(int n, float a[n]) {{ {body} }}")


def test_parentheses_alone_nest_as_deep_as_they_like() -> None:
    parse_text("void f(int n) { int x = 0; x = " + "(" * 5000 + "1" + ")" * 5000 + "; }")


def test_long_expressions_are_typed_in_one_go() -> None:
    """Twice at each level would be never."""
    cells = " * ".join(f"(&a[{i}] ~> Cell)" for i in range(60))
    total = " + ".join(f"a[{i}]" for i in range(60))
    parse_text(f'float f(float a[60]) {{ __reads("{cells}"); __ensures("true"); return {total}; }}')


def test_binary_file_is_explained(tmp_path: Path, capsys) -> None:
    file = tmp_path / "random.c"
    file.write_bytes(random.Random(1).randbytes(3000))
    assert main(["parse", str(file)]) == 2
    assert "not UTF-8" in capsys.readouterr().err


def test_missing_file_folder_and_empty_file(tmp_path: Path, capsys) -> None:
    assert main(["parse", str(tmp_path / "none.c")]) == 2
    assert "does not exist" in capsys.readouterr().err
    assert main(["parse", str(tmp_path)]) == 2
    assert "is not a file" in capsys.readouterr().err
    empty = tmp_path / "empty.c"
    empty.write_text("", encoding="utf-8")
    assert main(["parse", str(empty)]) == 0


def test_including_a_file_with_an_error_names_that_file(tmp_path: Path, capsys) -> None:
    (tmp_path / "part.h").write_text("void g(int n) {\n  x = 1;\n}\n", encoding="utf-8")
    (tmp_path / "main.c").write_text('#include "part.h"\n', encoding="utf-8")
    assert main(["parse", str(tmp_path / "main.c")]) == 2
    assert "part.h:2:3" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "error"),
    [("unsigned\u00a0int x = 3;", "OG002 2:11"), ("int x = \u0663;", "OG001 2:11"), ("int x\u00e9 = 3;", "OG001 2:8")],
)
def test_letters_digits_and_blanks_are_those_of_c(text: str, error: str) -> None:
    assert verdict_of(f"void f() {{\n  {text}\n}}\n") == error
