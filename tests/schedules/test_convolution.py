"""`schedules.convolution`: one line for convolutions of any size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import optigpu as og
from optigpu.runtime.cuda import CudaFunction
from optigpu.schedules import convolution
from optigpu.syntax.diagnostic import InputError
from tests.conftest import ROOT

PROGRAM = ROOT / "examples" / "gpu" / "scripts" / "conv2d.c"


def expected(x: Any, k: Any) -> Any:
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1)))
    (_, h, w), f = x.shape, k.shape[0]
    windows = np.stack([padded[:, u : u + h, v : v + w] for u in range(3) for v in range(3)], axis=1)
    return np.einsum("quij,oqu->oij", windows, k.reshape(f, x.shape[0], 9))


@pytest.fixture(scope="module")
def convolved() -> CudaFunction:
    s = og.Script(PROGRAM)
    convolution(s)
    assert len(s.steps) == 2 and s.result.verified and not s.result.assumptions
    return s.built_cuda().function(standin=True)


@pytest.mark.parametrize(
    ("c", "f", "h", "w"),
    [(0, 1, 1, 1), (1, 0, 2, 2), (2, 2, 0, 3), (1, 1, 1, 1), (3, 5, 37, 18), (16, 64, 4, 128), (17, 65, 5, 129)],
)
def test_a_convolution_of_any_size(convolved: CudaFunction, c: int, f: int, h: int, w: int) -> None:
    rng = np.random.default_rng(c + f)
    x, k = (rng.standard_normal(shape).astype(np.float32) for shape in ((c, h, w), (f, c, 3, 3)))
    y = np.full((f, h, w), np.nan, np.float32)
    convolved(x=x, k=k, y=y)
    assert np.allclose(y, expected(x.astype(np.float64), k.astype(np.float64)), rtol=1e-4, atol=1e-3)


def test_names_that_do_not_fit_are_errors_with_those_that_do() -> None:
    for given, why in (
        ({"rows": "i"}, 'rows="i" is none of the names that fit: o'),
        ({"filters": "x"}, 'filters="x" is none of the names that fit: k'),
        ({"cols": "q"}, 'cols="q" is none of the names that fit: o, i, j'),
        ({"image": "z"}, 'image="z" is none of the names that fit: x'),
        ({"taps": ["u"]}, "taps=.* are u, v"),
    ):
        s = og.Script(PROGRAM)
        with pytest.raises(InputError, match=why) as e:
            convolution(s, **given)  # type: ignore[arg-type]
        assert e.value.diagnostic.code == "OG601" and len(s.steps) == 1


@pytest.mark.slow
def test_rows_of_pixels_that_may_be_empty_are_no_planes() -> None:
    """A pixel of a plane is found by a division by the length of a row, which the contract lets be zero."""
    s = og.Script(PROGRAM)
    with pytest.raises(og.StepError):
        convolution(s, planes=True)
    assert len(s.steps) == 1


def test_a_depthwise_convolution_has_one_filter_for_a_channel() -> None:
    with pytest.raises(InputError, match="there is no loop over results that `f` depends on and `x` does not"):
        convolution(og.Script(ROOT / "examples" / "kernelbench" / "082_conv_depthwise_2d_square.c"))
