"""docs/thesis.md: every listing, table and figure of the thesis has its file and its case, every transformation its counterpart."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from optigpu.transform.registry import GROUPS, transformations_of
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "thesis.md").read_text(encoding="utf-8")
EXAMPLES = ROOT / "examples" / "thesis"
CASES = ROOT / "tests" / "cases" / "thesis"
NUMBERED = (
    "Table 2.1", "Table 2.2", "Listing 2.1", "Listing 2.2", "Listing 2.3", "Listing 2.4", "Listing 3.5", "Listing 3.6",
    "Listing 3.7", "Listing 3.8", "Listing 3.9", "Listing 3.10", "Listing 3.11", "Figure 4.2", "Listing 4.12", "Listing 4.13",
    "Listing 4.14", "Listing 4.15", "Listing 4.16", "Listing 4.17", "Listing 4.18", "Listing 4.19", "Listing 4.20",
    "Figure 5.3", "Figure 5.4", "Listing 6.21", "Listing 7.22",
)  # fmt: skip


def rows(section: str) -> list[list[str]]:
    """The cells of the table in a section of the page."""
    text = PAGE.split(f"## {section}\n")[1].split("\n## ")[0]
    lines = [line for line in text.split("\n") if line.startswith("| ")][1:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


FILES = {row[0]: row[1].strip("`") for row in rows("Listings, tables and figures")}


def test_every_number_of_the_thesis_is_in_the_table() -> None:
    assert [name for name in NUMBERED if name not in FILES] == []


@pytest.mark.parametrize("name", FILES)
def test_every_listing_has_a_file(name: str) -> None:
    number = re.search(r"(\d+)\.(\d+)", name)
    file = FILES[name]
    if number is not None:
        assert Path(file).stem == f"{name.split(maxsplit=1)[0].lower()}_{number[1]}_{number[2]}"
    assert (EXAMPLES / file).is_file()


@pytest.mark.parametrize("name", [name for name, file in FILES.items() if file.endswith(".c")])
def test_every_listing_has_a_case_with_mutants(name: str) -> None:
    case = CASES / FILES[name]
    assert case.is_file()
    text = case.read_text(encoding="utf-8")
    assert f"program: examples/thesis/{FILES[name]}" in text
    assert "mutate:" in text or "expect: VERIFIED" not in text


def test_every_file_is_in_the_table_or_belongs_to_one_that_is() -> None:
    stems = [Path(file).stem for file in FILES.values()]
    files = [path.name for path in EXAMPLES.iterdir() if path.suffix in (".c", ".py")]
    assert [file for file in files if not any(Path(file).stem.startswith(stem) for stem in stems)] == []


def test_every_transformation_of_the_thesis_has_one_here() -> None:
    known = {f"{group.name}.{name}" for group in GROUPS for name in transformations_of(group)}
    named = {re.search(r"`(\w+\.\w+)`", row[1]) for row in rows("Transformations")}
    assert None not in named
    assert {match[1] for match in named if match} - known == set()
