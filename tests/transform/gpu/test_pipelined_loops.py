"""`gpu.async_copy` and `gpu.pipeline`: tiles that are copied by the hardware, ahead of their use."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import optigpu as og
from optigpu import For
from optigpu.frontend import parse_text
from optigpu.syntax.diagnostic import InputError
from tests.support.cuda import emitted, on_standin
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


def test_copies_without_a_guard_and_of_transposed_tiles() -> None:
    whole = ("A: int * int -> float", "A: int * int -> float, n % 8 == 0, m % 16 == 0")
    s = launched(
        script(TWICE, whole, (f"if ({GUARD}) {{", "{"), (" else {\n            t[i][j] = 0.0f;\n          }", ""))
    )
    assert "tile_load(t, d_a, 8 * x, 16 * y);" in s.text()
    across = "for (int j = 0; j < 16; j++) {\n        for (int i = 0; i < 8; i++) {"
    s = launched(script(TWICE, ("for (int i = 0; i < 8; i++) {\n        for (int j = 0; j < 16; j++) {", across)))
    assert "tile_load(t, d_a, 8 * x, 16 * y);" in s.text()


NO_COPY = "its body is not one copy of an element, with 0 in its place outside of the array"
NOT_A_COPY = {
    "it is no nest of two loops that count from 0 to numbers": (
        "for (int j = 0; j < 16; j++)",
        "for (int j = 1; j < 16; j++)",
    ),
    NO_COPY: ("t[i][j] = 0.0f;", "t[i][j] = 1.0f;"),
    "adjacent elements of `t` are not adjacent in `a`": (COPY, "t[i][j] = a[8 * x + i][16 * y];"),
    "`t` is not filled by its own indices": (COPY, COPY.replace("t[i][j]", "t[i][15 - j]")),
    "its body is not one copy of an element of another array": (COPY, COPY.replace("a[", "2.0f * a[")),
}


@pytest.mark.parametrize("why", NOT_A_COPY)
def test_what_is_no_copy_of_a_tile_is_refused_with_the_reason(why: str) -> None:
    s = unproved(NOT_A_COPY[why])
    with pytest.raises(InputError) as e:
        s.gpu.async_copy(For("i").first)
    d = e.value.diagnostic
    assert (d.code, d.loc.line) == ("OG604", 9) and d.message == f"this nest is not the copy of a tile: {why}"


def unproved(*changes: tuple[str, str]) -> og.Script:
    """A program whose contract promises nothing of the values."""
    return script(TWICE, ("Matrix2(n, m, fun i j -> 2 * A(i, j))", "Cells2(n, m)"), *changes)


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
