"""Every error code has an explanation, and one meaning."""

from __future__ import annotations

import re

from optigpu.report.explanations import EXPLANATIONS
from tests.conftest import ROOT

SOURCES = [p for p in (ROOT / "src").rglob("*.py") if p.name != "explanations.py"]


def used() -> dict[str, set[str]]:
    """The codes that are written in the sources, with the packages they are written in."""
    found: dict[str, set[str]] = {}
    for path in SOURCES:
        for code in re.findall(r'"(OG\d{3})"', path.read_text(encoding="utf-8")):
            found.setdefault(code, set()).add(path.relative_to(ROOT / "src" / "optigpu").parts[0])
    return found


def test_every_code_is_explained() -> None:
    assert not used().keys() - EXPLANATIONS.keys()


def test_no_explanation_is_left_over() -> None:
    assert not EXPLANATIONS.keys() - used().keys()


def test_runs_and_scripts_have_codes_of_their_own() -> None:
    for code, packages in used().items():
        assert not packages >= {"interp", "transform"}, f"{code} is used for runs and for scripts"
