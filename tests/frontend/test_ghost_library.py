"""The library of ghosts: each has an example that verifies, and is rejected at its place with a false claim."""

from __future__ import annotations

import re

from tools.ghosts_page import TARGET, examples, ghost_rows, ghosts_page

from optigpu.frontend.program_loading import ghost_library
from tests.support.cases import CASES, read_case

ALWAYS_TRUE = {"assert_inhabited", "eq_refl_float", "eq_refl_int"}  # they claim nothing that could be false


def test_the_page_of_ghosts_is_up_to_date() -> None:
    assert TARGET.read_text(encoding="utf-8") == ghosts_page(), "python tools/ghosts_page.py writes it"


def test_every_ghost_is_in_the_table_once_and_is_checked_at_each_use() -> None:
    names = [row.name for row in ghost_rows()]
    assert names == list(ghost_library()) and len(set(names)) == len(names)
    assert all(ghost.is_checked_ghost for ghost in ghost_library().values())


def test_every_ghost_has_an_example() -> None:
    assert not {row.name for row in ghost_rows()} - examples().keys()


def test_every_ghost_is_rejected_at_its_place_with_a_false_claim() -> None:
    rejected: set[str] = set()
    for path in sorted((CASES / "ghosts").glob("*.c")):
        for variant in read_case(path)[1:]:
            answer = variant.expected
            if answer.verdict in ("UNPROVED", "REFUTED"):
                rejected.update(re.findall(r"__ghost\((\w+)", answer.place))
    assert {row.name for row in ghost_rows()} - rejected == ALWAYS_TRUE
