"""The error catalogue: each code has one row, each row is raised, and the words of proofs stand there alone."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from tools.errors_page import errors_page

from optigpu.errors.catalogue import CATALOGUE, PROOF_ERRORS
from tests.conftest import ROOT

SOURCE = ROOT / "src" / "optigpu"
OUTSIDE = [p for p in SOURCE.rglob("*.py") if p.parent != SOURCE / "errors"]
ROWS = sorted((SOURCE / "errors").glob("*.py"))


def raised() -> dict[str, set[str]]:
    """The codes that the sources name outside the catalogue, with the packages that name them."""
    packages: dict[str, set[str]] = {}
    for path in OUTSIDE:
        for code in re.findall(r'"(OG\d{3})"', path.read_text(encoding="utf-8")):
            packages.setdefault(code, set()).add(path.relative_to(SOURCE).parts[0])
    return packages


def strings(node: ast.AST) -> Iterator[str]:
    """The text constants of a syntax tree, without docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = {id(n.body[0].value) for n in ast.walk(node) if isinstance(n, documented) and _has_docstring(n)}
    for n in ast.walk(node):
        if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in docstrings:
            yield n.value


def _has_docstring(n: ast.Module | ast.ClassDef | ast.FunctionDef) -> bool:
    return bool(n.body) and isinstance(n.body[0], ast.Expr) and isinstance(n.body[0].value, ast.Constant)


def test_every_code_that_is_raised_has_a_row() -> None:
    assert not raised().keys() - CATALOGUE.keys()


def test_every_row_is_raised() -> None:
    """A row of a proof by its causes, or where the checker names its code; OG399 for all other causes."""
    by_cause = {code for code, row in PROOF_ERRORS.items() if row.causes}
    assert not CATALOGUE.keys() - raised().keys() - by_cause - {"OG399"}


def test_every_cause_has_one_code() -> None:
    causes = Counter(cause for row in PROOF_ERRORS.values() for cause in row.causes)
    assert len(causes) > 80
    assert max(causes.values()) == 1


def test_every_code_has_one_row() -> None:
    codes = Counter(
        c for path in ROWS for c in re.findall(r'^\s+"(OG\d{3})",$', path.read_text(encoding="utf-8"), re.M)
    )
    assert codes.keys() == CATALOGUE.keys()
    assert max(codes.values()) == 1


def test_messages_of_proofs_stand_in_the_catalogue_alone() -> None:
    """No other module has a sentence, or a larger part of one, of them; the interpreter reports runs in its own words."""
    parts = {
        text
        for path in ROWS
        if path.stem.endswith("_errors")
        and path.stem not in ("input_errors", "run_errors", "emission_errors", "script_errors")
        for text in strings(ast.parse(path.read_text(encoding="utf-8")))
        if len(text.split()) >= 6
    }
    assert len(parts) > 120
    for path in (p for p in OUTSIDE if p.parent.name != "interp"):
        doubles = parts & set(strings(ast.parse(path.read_text(encoding="utf-8"))))
        assert not doubles, path.name


def test_runs_and_scripts_have_codes_of_their_own() -> None:
    for code, packages in raised().items():
        assert not packages >= {"interp", "transform"}, f"{code} is used for runs and for scripts"


def test_the_page_is_up_to_date() -> None:
    written = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    assert written == errors_page(), "python tools/errors_page.py writes it"
