"""The tutorial: its page shows the file, the file has fewer than 25 lines, and it does what the page says."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import optigpu as og
from tests.conftest import ROOT

FILE = ROOT / "examples" / "tutorials" / "rms_norm.py"


@pytest.fixture(scope="module")
def tutorial() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rms_norm", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_shows_the_file() -> None:
    assert f"```python\n{FILE.read_text(encoding='utf-8')}```" in (ROOT / "docs" / "tutorial.md").read_text(
        encoding="utf-8"
    )


def test_it_has_fewer_than_25_lines() -> None:
    _, *lines = FILE.read_text(encoding="utf-8").splitlines()  # the first one is the docstring
    assert sum(bool(line.strip()) for line in lines) < 25


def test_the_program_is_verified_and_a_wrong_one_is_not(tutorial: ModuleType) -> None:
    assert og.check(tutorial.rms_norm).verified
    from optigpu.frontend import parse_text

    wrong = tutorial.rms_norm.c().replace("squares += x[i][j] * x[i][j]", "squares += x[i][j]")
    assert wrong != tutorial.rms_norm.c() and not og.check(parse_text(wrong, "wrong.c")).verified


@pytest.mark.filterwarnings("ignore:.*CPU stand-in")
def test_it_is_tuned_and_computes_what_numpy_does(tutorial: ModuleType, tmp_path: Path) -> None:
    tuned = tmp_path / "tuned.json"
    sizes = {"h": [3], "w": [40, 300]}
    og.tune(
        tutorial.fast, {"most": [256]}, program=tutorial.rms_norm, sizes=sizes, cpu=True, path=tuned, folder=tmp_path
    )
    s = og.Script(tutorial.rms_norm)
    og.apply_tuned(s, tutorial.fast, tuned)
    norm = s.build()
    for shape in ((3, 40), (2, 257), (1, 1100)):
        x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
        y = norm(x=x, eps=1e-5)
        assert np.allclose(y, x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5), rtol=1e-5, atol=1e-6)


@pytest.mark.filterwarnings("ignore:.*CPU stand-in")
def test_it_is_an_operator_of_pytorch(tutorial: ModuleType, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    tuned = tmp_path / "tuned.json"
    og.tune(
        tutorial.fast,
        {"most": [256]},
        program=tutorial.rms_norm,
        sizes={"h": 3, "w": 40},
        cpu=True,
        path=tuned,
        folder=tmp_path,
    )
    x = torch.randn(4, 40)
    wanted = x / torch.sqrt((x * x).mean(dim=1, keepdim=True) + 1e-5)
    assert torch.allclose(tutorial.operator(tuned)(x, 1e-5), wanted, rtol=1e-5, atol=1e-6)
