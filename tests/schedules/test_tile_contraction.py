"""`schedules.tile_contraction`: products on tensor cores, of every layout and type, right for sizes that no tile divides."""

from __future__ import annotations

from typing import Any

import pytest

import optigpu as og
from optigpu.frontend import parse_text
from optigpu.schedules import tile_contraction
from optigpu.syntax.diagnostic import InputError
from tests.conftest import ROOT
from tests.support.cuda import on_standin
from tests.support.product_programs import NAMES, SIZES, assert_multiplies, product_program
from tests.support.tiles import both_capabilities

PRODUCT = ROOT / "examples" / "matmul.c"
PRODUCT_OF_16_BITS = ROOT / "examples" / "gpu" / "scripts" / "matmul_bf16.c"
LOOPS: dict[str, Any] = {"rows": "i", "cols": "j", "inner": "k", "left": "a", "right": "b", "out": "c"}


def scheduled(text: str, **options: Any) -> og.Script:
    s = og.Script(parse_text(text, "f.c"))
    tile_contraction(s, **{**NAMES, **options})
    assert s.result.verified and not s.result.assumptions
    return s


@pytest.mark.parametrize(
    ("form", "elem", "out", "tile", "options"),
    [
        ("nn", "bf16", "bf16", (64, 16, 32), {"stages": 2}),
        pytest.param("nt", "half", "float", (128, 32, 16), {"stages": 3, "rows_in_turn": 2}, marks=pytest.mark.slow),
        ("tn", "half", "half", (64, 32, 16), {"stages": 1, "rows_in_turn": 1}),
        pytest.param("tt", "bf16", "float", (64, 64, 64), {}, marks=pytest.mark.slow),
        ("nn", "float", "float", (16, 128, 8), {"stages": 2, "elem": "tf32"}),
        ("nt", "float", "float", (64, 16, 8), {"stages": 3, "elem": "tf32"}),
    ],
)
def test_products_of_any_size(
    form: str, elem: str, out: str, tile: Any, options: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    s = scheduled(product_program(form, elem, out), tile=tile, **options)
    f = on_standin(s.program)
    for _ in both_capabilities(monkeypatch):
        for sizes in SIZES:
            assert_multiplies(f, form, elem, out, sizes)


@pytest.mark.parametrize(("form", "elem", "parts"), [("nt", "half", 5)])
def test_parts_of_the_sums_are_added_up_by_a_second_kernel(form: str, elem: str, parts: int) -> None:
    s = scheduled(product_program(form, elem, "float"), tile=(64, 16, 16), stages=2, parts=parts)
    assert s.text().count("kernel_launch(") == 2
    f = on_standin(s.program)
    for sizes in (*SIZES, (1, 20, 20, 16 * parts), (1, 64, 16, 300)):
        assert_multiplies(f, form, elem, "float", sizes)


def test_the_tiles_by_default_fill_a_multiprocessor() -> None:
    for form, elem, rows, cols, depth in (
        ("nn", "half", 128, 256, 64),
        ("nn", "tf32", 256, 128, 32),
    ):
        s = og.Script(parse_text(product_program(form, elem)))
        tile_contraction(s, **NAMES)
        text = s.text()
        assert f"left_tile[{rows}][{depth}]" in text and "#pragma pipeline 4" in text
        assert f"right_tile[{depth}][{cols}]" in text or f"right_tile[{cols}][{depth}]" in text


def test_the_names_of_an_example_are_enough() -> None:
    s = og.Script(PRODUCT_OF_16_BITS)
    tile_contraction(s, **LOOPS, tile=(64, 16, 16))
    assert s.result.verified and len(s.steps) == 2 and "mma(&sum" in s.text()


REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "floats": ({}, "OG605", "tensor cores multiply numbers of type `half`, `bf16`, `tf32`, not `float`"),
    "numbers that are converted": ({"elem": "half"}, "OG605", "copies elements of one type, not `float` to `half`"),
    "no type": ({"elem": "fp8"}, "OG601", 'elem="fp8" is no type of numbers'),
    "rows of floats, whose groups have columns": (
        {"elem": "tf32", "tile": (128, 100, 32)},
        "OG604",
        "a tile of 100 columns is not one of groups with 64 columns",
    ),
    "an empty tile": ({"tile": (0, 64, 32)}, "OG604", "tile=(0, 64, 32) has a size that is not positive"),
    "a tile of two sizes": ({"tile": (64, 64)}, "OG604", "`tile` cannot be (64, 64)"),
    "no stages": ({"elem": "tf32", "stages": 0}, "OG604", "a pipeline has 1 to 9 stages, not 0"),
    "too many stages": ({"elem": "tf32", "stages": 10}, "OG604", "a pipeline has 1 to 9 stages, not 10"),
    "no parts": ({"parts": 0}, "OG604", "parts=(0,) has a size that is not positive"),
    "one loop twice": ({"rows": "j"}, "OG604", "the loop over `i` is around the sum, and no option names it"),
    "no loop": ({"rows": "x"}, "OG601", 'no loop fits For("x")'),
    "exchanged factors": ({"left": "b", "right": "a"}, "OG603", "`b` depends on `j`"),
    "no factor": ({"left": "q"}, "OG601", "no read fits"),
    "no result": ({"out": "q"}, "OG601", 'no loop over `i` has Write("q") in it'),
    "no sum": ({"total": "q"}, "OG601", 'no loop over `k` has Write("q") in it'),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused_before_anything_changes(name: str) -> None:
    options, code, why = REFUSED[name]
    s = og.Script(PRODUCT)
    with pytest.raises(InputError) as e:
        tile_contraction(s, **{**LOOPS, **options})
    assert e.value.diagnostic.code == code and why in e.value.diagnostic.message
    assert len(s.steps) == 1 and s.program == s.original


def test_rows_of_16_bits_come_in_groups_of_64() -> None:
    with pytest.raises(InputError, match="a tile of 96 rows is not one of groups with 64 rows") as e:
        tile_contraction(og.Script(PRODUCT_OF_16_BITS), **LOOPS, tile=(96, 16, 16))
    assert e.value.diagnostic.code == "OG604"


def test_tiles_beyond_what_a_block_has_are_rejected() -> None:
    for tile, why in (((2048, 16, 16), "4096 threads a block"), ((128, 512, 128), "bytes of shared memory")):
        s = og.Script(PRODUCT_OF_16_BITS)
        with pytest.raises(og.StepError, match="OG349") as e:
            tile_contraction(s, **LOOPS, tile=tile)
        assert why in str(e.value) and len(s.steps) == 1


def test_a_product_that_the_contract_does_not_promise_is_rejected() -> None:
    text = product_program("nn", "half").replace("y[h][d][c]", "y[h][c][d]")
    with pytest.raises(og.StepError):
        scheduled(text)
