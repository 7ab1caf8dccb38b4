"""Schedules that are given other loops and arrays than the program has: the error names what is there, before any step is made."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import optigpu as og
from optigpu.schedules import contraction, elements, elementwise, rows, tensor_convolution
from optigpu.syntax.diagnostic import Diagnostic, InputError
from tests.conftest import ROOT

SOFTMAX = ROOT / "examples" / "kernelbench" / "023_softmax.c"
PRODUCT = ROOT / "examples" / "kernelbench" / "002_matmul.c"
CONVOLUTION = ROOT / "examples" / "kernelbench" / "055_conv_2d_wide.c"
GELU = ROOT / "examples" / "kernelbench" / "026_gelu.c"
NAMES = {"rows": "i", "cols": "j", "inner": "k", "left": "a", "right": "b", "out": "c"}


def refused(program: object, step: Callable[[og.Script], object]) -> Diagnostic:
    s = og.Script(str(program))
    with pytest.raises(InputError) as error:
        step(s)
    assert len(s.steps) == 1
    return error.value.diagnostic


@pytest.mark.parametrize(
    ("changed", "code", "message", "help"),
    [
        ({"rows": "j", "cols": "i"}, "OG603", "`a` depends on `i`", "exchange left= and right=, or rows= and cols="),
        ({"left": "b", "right": "a"}, "OG603", "`b` depends on `j`", "exchange left= and right=, or rows= and cols="),
        ({"inner": "l"}, "OG601", 'no loop fits For("l")', None),
        ({"out": "d"}, "OG601", 'no loop over `i` has Write("d") in it', "written there: c, sum"),
        ({"total": "acc"}, "OG601", 'no loop over `k` has Write("acc") in it', "written there: sum"),
        ({"left": "x"}, "OG601", "no read fits", None),
    ],
)
def test_a_contraction_of_other_names(changed: dict[str, str], code: str, message: str, help: str | None) -> None:
    d = refused(PRODUCT, lambda s: contraction(s, **{**NAMES, **changed}))
    assert d.code == code and message in d.message and d.help == help


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"cols": "zz"}, 'no loop fits For("zz")'),
        ({"grid": ["n"]}, "the loop over `i` is around the sum, and no option names it"),
        ({"grid": ["n", "ii"]}, 'no loop fits For("ii")'),
        ({"taps": ["p"]}, "the loop over `q` is around the sum, and no option names it"),
    ],
)
def test_a_convolution_names_all_loops(changed: dict[str, object], message: str) -> None:
    names: dict[str, object] = {"rows": "o", "cols": "j", "inner": "c", "filters": "f", "image": "x", "out": "y"}
    loops: dict[str, object] = {"grid": ["n", "i"], "taps": ["p", "q"]}
    d = refused(CONVOLUTION, lambda s: tensor_convolution(s, **{**names, **loops, **changed}))
    assert message in d.message


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (lambda s: rows(s, "i", loop="k", reductions=["best"]), 'no loop fits For("k", body=Write("best"))'),
        (lambda s: rows(s, "i", loop="j", reductions=["max"]), 'no loop over `j` has Write("max") in it'),
        (lambda s: rows(s, "j", loop="i", reductions=["best"]), 'no loop fits For("j") / For("i", body=Write("best"))'),
        (lambda s: rows(s, loop="j", reductions=["best"]), "name the loops of the grid"),
        (lambda s: rows(s, ["i"], loop="j", reductions=["best"]), "`grid` are arguments one by one, not a list"),
        (elements, "name the loops of the results"),
        (lambda s: elementwise(s, "i", vector=3), "a vector has 2, 4 or 8 elements, not 3"),
    ],
)
def test_rows_and_elements_of_other_names(step: Callable[[og.Script], object], message: str) -> None:
    assert message in refused(SOFTMAX, step).message


def test_a_product_is_no_loop_over_elements() -> None:
    assert refused(GELU, lambda s: contraction(s, **NAMES)).message == 'no loop fits For("j")'


def test_tiles_have_iterations_and_grids_are_outside_of_blocks() -> None:
    for size in (0, -4):
        assert f"a tile of {size} iterations" in refused(GELU, lambda s, n=size: s.loop.tile("i", n)).message
    s = og.Script(str(GELU))
    s.loop.tile("i", 256, outer="b", tail="guard")
    with pytest.raises(InputError) as error:
        s.gpu.launch(grid=["i"], block=["b"])
    d = error.value.diagnostic
    assert "the loop over `b` is around the first loop of the grid, `i`" in d.message
    assert d.help == 'loops of the grid are outside: grid=["b", …]'


def test_emission_without_a_kernel_says_how_to_make_one() -> None:
    with pytest.raises(InputError) as error:
        og.Script(str(GELU)).emit("gelu.cu")
    d = error.value.diagnostic
    assert d.code == "OG400" and d.help == 's.gpu.launch makes a kernel of a loop; s.emit("x.c") writes C'
