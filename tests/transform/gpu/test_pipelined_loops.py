"""`gpu.async_copy` and `gpu.pipeline`: tiles that are copied by the hardware, ahead of their use."""

from __future__ import annotations

import numpy as np
import pytest

import optigpu as og
from optigpu import For
from optigpu.frontend import parse_text
from optigpu.syntax.diagnostic import InputError
from tests.support.card_context import AcceptingVerifier
from tests.support.cuda import on_standin
from tests.support.tiles import both_capabilities, small_integers, unset

TWICE = """#include <optigpu.h>
void twice(int n, int m, float a[n][m], float b[n][m]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(n, m, A)");
  __writes("b ~> Matrix2(n, m, fun i j -> 2 * A(i, j))");
  for (int x = 0; x < (n + 7) / 8; x++) {
    for (int y = 0; y < (m + 15) / 16; y++) {
      float t[8][16];
      for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 16; j++) {
          if (8 * x + i < n && 16 * y + j < m) {
            t[i][j] = a[8 * x + i][16 * y + j];
          } else {
            t[i][j] = 0.0f;
          }
        }
      }
      for (int r = 0; r < 8; r++) {
        for (int c = 0; c < 16; c++) {
          if (8 * x + r < n && 16 * y + c < m) {
            b[8 * x + r][16 * y + c] = 2.0f * t[r][c];
          }
        }
      }
    }
  }
}
"""
GUARD, COPY = "8 * x + i < n && 16 * y + j < m", "t[i][j] = a[8 * x + i][16 * y + j];"


def script(text: str = TWICE, *changes: tuple[str, str]) -> og.Script:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return og.Script(parse_text(text, "f.c"))


def launched(s: og.Script) -> og.Script:
    s.gpu.async_copy("t")
    s.gpu.launch(grid=["x"], block=["r", "c"])
    return s


def assert_twice(s: og.Script, monkeypatch: pytest.MonkeyPatch) -> None:
    f = on_standin(s.program)
    for _ in both_capabilities(monkeypatch):
        for n, m in ((1, 1), (8, 16), (17, 68), (9, 35), (0, 4), (4, 0)):
            a, b = small_integers(n + m, n, m), unset("float", n, m)
            f(a, b)
            assert np.array_equal(b, 2 * a)


def test_a_launch_makes_the_copy_a_tile_load_between_barriers(monkeypatch: pytest.MonkeyPatch) -> None:
    s = launched(script())
    lines = [line.strip() for line in s.text().splitlines()]
    at = lines.index("tile_load(t, d_a, 8 * x, 16 * y);")
    assert lines[at - 1 : at + 2] == ["__shared__ float t[8][16];", lines[at], "blocksync();"]
    assert lines.count("blocksync();") == 2 and "kernel_launch((n + 7) / 8, 128, 128 * sizeof(float));" in lines
    assert_twice(s, monkeypatch)


@pytest.mark.parametrize("stages", [1, 4])
def test_a_pipeline_waits_in_place_of_the_barriers(stages: int, monkeypatch: pytest.MonkeyPatch) -> None:
    s = launched(script())
    s.gpu.pipeline("y", stages=stages)
    text = s.text()
    assert s.result.verified and f"#pragma pipeline {stages}\n" in text
    assert text.count("pipeline_wait();") == 1 and "blocksync" not in text
    assert f"128, 128 * sizeof(float) + {stages - 1} * (128 * sizeof(float)))" in text or stages == 1
    assert_twice(s, monkeypatch)


def test_the_target_of_a_copy_is_its_tile_or_its_nest() -> None:
    for target in ("t", For("i"), For("i").first):
        s = script()
        s.gpu.async_copy(target)
        assert "      #pragma async_copy\n      for (int i = 0; i < 8; i++) {" in s.text() and s.result.verified


def test_copies_without_a_guard_and_in_any_order_of_loops() -> None:
    whole = ("A: int * int -> float", "A: int * int -> float, n % 8 == 0, m % 16 == 0")
    guarded = TWICE[TWICE.index(f"if ({GUARD})") : TWICE.index("        }\n      }\n      for (int r")]
    s = launched(script(TWICE, whole, (guarded, f"{COPY}\n")))
    assert "tile_load(t, d_a, 8 * x, 16 * y);" in s.text()
    rows, cols = "for (int i = 0; i < 8; i++) {", "for (int j = 0; j < 16; j++) {"
    s = launched(script(TWICE, (f"{rows}\n        {cols}", f"{cols}\n        {rows}")))
    assert "tile_load(t, d_a, 8 * x, 16 * y);" in s.text()


NO_COPY = "its body is not one copy of an element, with 0 in its place outside of the array"
NOT_A_COPY = {
    "it is no nest of two loops that count from 0 to numbers": (
        "for (int j = 0; j < 16; j++)",
        "for (int j = 1; j < 16; j++)",
    ),
    NO_COPY: ("t[i][j] = 0.0f;", "t[i][j] = 1.0f;"),
    "adjacent elements of `t` are not adjacent in `a`": (COPY, "t[i][j] = a[8 * x + i][16 * y];"),
    "`t` is not filled by its own indices": ("t[i][j] = ", "t[i][15 - j] = "),
    "its body is not one copy of an element of another array": (COPY, COPY.replace("a[", "2.0f * a[")),
}


@pytest.mark.parametrize("why", NOT_A_COPY)
def test_what_is_no_copy_of_a_tile_is_refused_with_the_reason(why: str) -> None:
    old, new = NOT_A_COPY[why]
    assert old in TWICE
    s = og.Script(parse_text(TWICE.replace(old, new), "f.c"), verifier=AcceptingVerifier())
    for target in (For("i").first, "t"):
        with pytest.raises(InputError) as e:
            s.gpu.async_copy(target)
        d = e.value.diagnostic
        assert (d.code, d.message) == ("OG604", f"this nest is not the copy of a tile: {why}")
        assert [(label.loc.file, label.loc.line) for label in d.labels] == [("f.c", 9)]


def test_what_is_no_pipeline_is_refused() -> None:
    s = launched(script())
    for stages in (0, 10, -1):
        with pytest.raises(InputError, match=f"a pipeline has 1 to 9 stages, not {stages}"):
            s.gpu.pipeline("y", stages=stages)
    with pytest.raises(InputError, match="this loop is not one that a whole block runs, without a pipeline"):
        s.gpu.pipeline("r")
    s.gpu.pipeline("y")
    with pytest.raises(InputError, match="this loop is not one that a whole block runs, without a pipeline") as e:
        s.gpu.pipeline("y")
    assert e.value.diagnostic.code == "OG604"
    s = script()
    with pytest.raises(InputError, match="the loop over `y` copies no tiles") as e:
        s.gpu.pipeline("y")
    assert (e.value.diagnostic.code, e.value.diagnostic.help) == ("OG604", "s.gpu.async_copy")


# Wrong twins: steps whose results the checker rejects.


def test_a_copy_with_a_narrower_guard_is_not_that_of_the_tile() -> None:
    """`tile_load` copies all elements of the array, and the contract promises zeros in place of some."""
    narrow = script(TWICE, (GUARD, f"{GUARD.removesuffix('m')}m - 1"), ("2 * A(i, j)", "(j < m - 1 ? 2 * A(i, j) : 0)"))
    narrow.gpu.async_copy("t")
    with pytest.raises(og.StepError) as e:
        narrow.gpu.launch(grid=["x"], block=["r", "c"])
    assert e.value.diagnostic.code == "OG305" and len(narrow.steps) == 2


def test_what_the_loop_changes_is_not_copied_ahead() -> None:
    """In place, tiles can be copied and used between barriers, and not in a pipeline."""
    in_place = TWICE.replace("float a[n][m], float b[n][m]", "float a[n][m]").replace("b[8", "a[8")
    in_place = in_place.replace("__reads", "__consumes").replace('__writes("b', '__produces("a')
    s = launched(script(in_place))
    assert s.result.verified
    with pytest.raises(og.StepError) as e:
        s.gpu.pipeline("y")
    assert e.value.diagnostic.code == "OG302" and s.result.verified and "#pragma pipeline" not in s.text()


def test_more_stages_than_there_is_shared_memory_are_rejected() -> None:
    s = script(TWICE.replace("16", "1024").replace("+ 15", "+ 1023"))
    s.loop.tile("c", 64, outer="cs")
    s.gpu.async_copy("t")
    s.gpu.launch(grid=["x"], block=["r", "cs"])
    with pytest.raises(og.StepError, match="OG349"):
        s.gpu.pipeline("y", stages=8)
    s.gpu.pipeline("y", stages=7)
    assert s.result.verified


def test_a_block_of_one_warp_copies_no_tiles() -> None:
    s = script()
    s.gpu.async_copy("t")
    with pytest.raises(og.StepError) as e:
        s.gpu.launch(grid=["x"], block=["c"])
    assert e.value.diagnostic.code == "OG371"
