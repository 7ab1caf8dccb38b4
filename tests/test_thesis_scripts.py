"""The scripts of the thesis: every step is verified, and where the thesis prints the program that they end with, they end with it.

A script that has such a program names its file: `RESULT = "listing_2_2.c"`.
"""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import optigpu as og
from optigpu.frontend import parse_file
from optigpu.syntax.printer import print_program
from tests.conftest import ROOT

SCRIPTS = sorted((ROOT / "examples" / "thesis").glob("*.py"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: p.stem)
def test_script_ends_with_the_verified_program_of_the_thesis(path: Path) -> None:
    module = runpy.run_path(str(path))
    s = module["s"]
    assert isinstance(s, og.Script)
    assert all(step.result is not None and step.result.verified for step in s.steps)
    assert s.result.verified and not s.result.admitted
    if "RESULT" in module:
        expected = parse_file(path.parent / module["RESULT"])
        assert print_program(s.program) == print_program(expected)
        assert s.program.items == expected.items


def test_every_listing_has_a_case() -> None:
    listings = {p.name for p in (ROOT / "examples" / "thesis").glob("*.c")}
    assert {"listing_2_1.c", "listing_2_2.c", "listing_2_4_before.c", "listing_2_4_after.c"} <= listings
    cases = {p.name for p in (ROOT / "tests" / "cases" / "thesis").glob("*.c")}
    assert listings - cases == set()


def steps_of(name: str) -> list[str]:
    text = (ROOT / "examples" / "thesis" / name).read_text(encoding="utf-8")
    return [line.split("(")[0] for line in text.splitlines() if line.startswith("s.")]


def test_listing_2_3_has_the_steps_of_the_thesis() -> None:
    """`Loop.tile; Variable.local_name; Accesses.shift_var; Loop.hoist; Loop.fission; Loop.parallel`, in this order."""
    names = ["loop.tile", "variable.local_name", "accesses.shift_var", "loop.hoist", "loop.fission", "loop.parallel"]
    assert steps_of("listing_2_3.py") == [f"s.{name}" for name in names]


def test_no_annotation_of_listing_2_1_is_removed() -> None:
    s = runpy.run_path(str(ROOT / "examples" / "thesis" / "listing_2_3.py"))["s"]
    assert [step.removed for step in s.steps] == [()] * 7
    assert s.text().count("__ghost(") == 4
