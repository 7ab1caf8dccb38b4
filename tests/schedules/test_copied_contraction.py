"""`schedules.copied_contraction`: products on the cores of floats from tiles that are copied ahead, right for sizes that no tile
divides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import optigpu as og
from optigpu.frontend import parse_text
from optigpu.schedules import copied_contraction
from optigpu.syntax.diagnostic import InputError
from tests.conftest import ROOT
from tests.support.cuda import on_standin
from tests.support.product_programs import NAMES, SIZES, assert_multiplies, product_program
from tests.support.tiles import both_capabilities, small_integers, unset

PRODUCT = ROOT / "examples" / "matmul.c"
LOOPS: dict[str, Any] = {"rows": "i", "cols": "j", "inner": "k", "left": "a", "right": "b", "out": "c"}
SMALL: dict[str, Any] = {"tile": (32, 32, 4), "each": (4, 4), "stages": 2}


def scheduled(text: str, **options: Any) -> og.Script:
    s = og.Script(parse_text(text, "f.c"))
    copied_contraction(s, **{**NAMES, **options})
    assert s.result.verified and not s.result.assumptions
    return s


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "elem", "options"),
    [
        ("nn", "float", {"tile": (32, 32, 8), "each": (4, 4), "stages": 4}),  # rows of tiles with 32 bytes
        ("tn", "half", {"tile": (32, 32, 4), "each": (4, 4), "stages": 1, "rows_in_turn": 1}),  # with 8 bytes
    ],
)
def test_products_of_any_layout_and_type(form: str, elem: str, options: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    s = scheduled(product_program(form, elem, "float"), **options)
    f = on_standin(s.program)
    for _ in both_capabilities(monkeypatch):
        for sizes in (*SIZES, (1, 33, 68, 20)):
            assert_multiplies(f, form, elem, "float", sizes)


@pytest.mark.parametrize("parts", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_parts_of_the_sums_are_added_up_by_a_second_kernel(parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"tile": (32, 64, 16), "each": (4, 8), "stages": 3, "rows_in_turn": 2}
    s = scheduled(product_program("nt", "float"), **options, parts=parts)
    assert s.text().count("kernel_launch(") == (2 if parts > 1 else 1)
    f = on_standin(s.program)
    for _ in both_capabilities(monkeypatch):
        for sizes in (*SIZES, (1, 20, 20, 12), (1, 33, 68, 100)):
            assert_multiplies(f, "nt", "float", "float", sizes)


def test_rows_that_are_divided_by_four_are_stored_in_vectors() -> None:
    s = og.Script(PRODUCT)
    copied_contraction(s, **LOOPS, **SMALL)
    assert s.result.verified and len(s.steps) == 2
    assert "&& n % 4 == 0) {" in s.text() and "vstore4(&d_c[" in s.text() and "vload4(" in s.text()
    f = on_standin(s.program)
    for m, n, p in ((33, 36, 20), (33, 37, 20), (5, 4, 3), (32, 64, 8), (1, 1, 1)):
        a, b, c = small_integers(1, m, p), small_integers(2, p, n), unset("float", m, n)
        f(a, b, c)
        assert np.array_equal(c, a @ b)


NO_WARPS = "is not one of warps with 4 x 8 threads"
REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "rows that are not those of warps": ({"tile": (24, 32, 4), "each": (4, 4)}, "OG604", f"a tile 24 x 32 x 4 {NO_WARPS}"),
    "columns that are not those of warps": ({"tile": (16, 48, 4), "each": (4, 4)}, "OG604", f"a tile 16 x 48 x 4 {NO_WARPS}"),
    "summands that are no vectors": ({"tile": (16, 32, 6), "each": (4, 4)}, "OG604", f"a tile 16 x 32 x 6 {NO_WARPS}"),
    "results of a thread that are no vectors": ({"tile": (8, 16, 4), "each": (2, 2)}, "OG604", NO_WARPS),
    "an empty tile": ({"tile": (16, 0, 4)}, "OG604", "tile=(16, 0, 4) has a size that is not positive"),
    "no results of a thread": ({"each": (0, 4)}, "OG604", "each=(0, 4) has a size that is not positive"),
    "no parts": ({"parts": -1}, "OG604", "parts=(-1,) has a size that is not positive"),
    "no loop": ({"rows": "x"}, "OG601", 'no loop fits For("x")'),
    "exchanged factors": ({"left": "b", "right": "a"}, "OG603", "`b` depends on `j`"),
    "a loop that is not named": ({"rows": "j"}, "OG604", "the loop over `i` is around the sum, and no option names it"),
    "no result": ({"out": "q"}, "OG601", 'no loop over `i` has Write("q") in it'),
    "no stages": ({**SMALL, "stages": 0}, "OG604", "a pipeline has 1 to 9 stages, not 0"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused_before_anything_changes(name: str) -> None:
    options, code, why = REFUSED[name]
    s = og.Script(PRODUCT)
    with pytest.raises(InputError) as e:
        copied_contraction(s, **{**LOOPS, **options})
    assert e.value.diagnostic.code == code and why in e.value.diagnostic.message
    assert len(s.steps) == 1 and s.program == s.original


def test_tiles_beyond_what_a_block_has_are_rejected() -> None:
    s = og.Script(PRODUCT)
    with pytest.raises(og.StepError, match="2048 threads a block") as e:
        copied_contraction(s, **LOOPS, tile=(128, 256, 4), each=(4, 4))
    assert "OG349" in str(e.value) and len(s.steps) == 1
