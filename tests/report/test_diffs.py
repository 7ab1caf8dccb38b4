"""Diffs of steps: what counts as a change, and how it is shown."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optigpu.frontend import parse_text
from optigpu.report.diagnostics import Style
from optigpu.report.diffs import ADDED, CHANGED, INDENTED, REMOVED, SAME, changed, counts, render_diff, rows
from optigpu.script.step import Step
from tests.support.records import HEAD, REORDER, STAGE, TILE_X, TILE_Y
from tests.support.records import PLAIN as NAIVE


def program(body: str):
    return parse_text(HEAD + body, "transpose.c")


def step(before: str, after: str) -> Step:
    return Step(3, "loop.reorder()", "t.py", 7, "", (), program(before), program(after), None, 0.0)


def test_a_loop_around_code_does_not_change_the_code() -> None:
    aligned = rows(["a;", "b;"], ["for {", "  a;", "  b;", "}"])
    assert [r.kind for r in aligned] == [ADDED, INDENTED, INDENTED, ADDED]
    assert counts(aligned) == (2, 0)


def test_a_changed_line_faces_what_it_was() -> None:
    (row,) = rows(["  x = a[i] + 1;"], ["    x = b[i] + 1;"])
    assert row.kind == CHANGED
    assert (row.left_spans, row.right_spans) == (((6, 7),), ((8, 9),))


def test_lines_without_anything_in_common_stand_alone() -> None:
    assert [r.kind for r in rows(["free(p);"], ["for (int i = 0; i < n; i++) {"])] == [REMOVED, ADDED]


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [(NAIVE, NAIVE, (0, 0)), (NAIVE, TILE_X, (4, 2)), (TILE_Y, REORDER, (1, 1)), (REORDER, STAGE, (7, 1))],
)
def test_lines_changed_by_steps(before: str, after: str, lines: tuple[int, int]) -> None:
    assert changed(program(before), program(after)) == lines


def test_the_copied_loops_are_the_added_ones() -> None:
    """Equal loops before and after: those around what was there stay, although the new ones come first."""
    lines = render_diff(step(REORDER, STAGE)).split("\n")
    copy = next(n for n, line in enumerate(lines) if "tile[y][x] = a" in line)
    use = next(n for n, line in enumerate(lines) if line.startswith("  -"))
    assert all(line.startswith("  +") for line in lines[copy - 2 : copy + 3])
    assert all(line.startswith("   ") for line in lines[use - 2 : use])


def test_text_of_a_diff() -> None:
    lines = render_diff(step(TILE_Y, REORDER)).split("\n")
    assert lines[0] == "step 3  loop.reorder()  t.py:7  +1 -1"
    assert lines[1] == "  @@ line 5 @@"
    assert "  +  for (int by = 0; by < exact_div(H, 32); by++) {" in lines
    assert "  -      for (int by = 0; by < exact_div(H, 32); by++) {" in lines
    assert all(line.startswith("  ") for line in lines[1:])


def test_colours_and_nothing_to_show() -> None:
    assert "\x1b[1;32mtile\x1b[0m" in render_diff(step(REORDER, STAGE), Style(True))
    nothing = step(NAIVE, NAIVE)
    assert render_diff(nothing) == "step 3  loop.reorder()  t.py:7  no change"
    assert render_diff(replace(nothing, file="", line=0)) == "step 3  loop.reorder()  no change"


def test_lines_that_are_fixed_face_each_other() -> None:
    aligned = rows(["a;", "x;", "b;"], ["x;", "a;", "b;"], [(1, 0)])
    assert [(r.left, r.right) for r in aligned] == [(0, None), (1, 0), (None, 1), (2, 2)]


LINES = st.lists(
    st.sampled_from(["a = 1;", "  a = 1;", "}", "  }", "", "b = a + 1;", "for (i) {", "b = a + 2;"]), max_size=14
)


@given(LINES, LINES)
def test_both_sides_are_complete_and_in_order(before: list[str], after: list[str]) -> None:
    aligned = rows(before, after)
    assert [r.left for r in aligned if r.left is not None] == list(range(len(before)))
    assert [r.right for r in aligned if r.right is not None] == list(range(len(after)))
    for r in aligned:
        if r.kind in (SAME, INDENTED):
            assert r.left is not None and r.right is not None
            assert before[r.left].strip() == after[r.right].strip()
            assert (before[r.left] == after[r.right]) == (r.kind == SAME)
    assert rows(before, before) == [r for r in rows(before, before) if r.kind == SAME]
