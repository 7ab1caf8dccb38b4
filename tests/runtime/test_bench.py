"""Timing: sizes, data and amounts by the contract; machines without a GPU, and without a solver."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from optigpu.cli import main
from optigpu.report.bench_table import measurement_json, render_measurement
from optigpu.runtime import libraries
from optigpu.runtime.bench import Measurement, bench, bytes_moved, chosen_sizes, evaluated, random_data
from optigpu.runtime.call_error import CallError
from optigpu.runtime.nvcc import gpu_architecture
from optigpu.runtime.timing import Timing
from tests.conftest import ROOT
from tests.support.cuda import on_standin

GPU = ROOT / "examples" / "gpu"
TRANSPOSE = GPU / "transpose.c"
no_gpu = pytest.mark.skipif(gpu_architecture() is not None, reason="a GPU is here")


def signature(name: str) -> Any:
    return on_standin(GPU / name, races=False).signature


# What is measured -----------------------------------------------------------------------------------------------------------


def test_sizes_are_as_large_as_memory_and_contract_allow() -> None:
    assert chosen_sizes(signature("transpose.c"), {}, 3 << 30) == {"W": 16384, "H": 16384}
    assert chosen_sizes(signature("vector_add.c"), {}, 3 << 30) == {"n": 2**28}
    assert chosen_sizes(signature("transpose.c"), {"W": 96}, 1 << 20)["W"] == 96
    with pytest.raises(CallError, match="W % 32 == 0 does not hold"):
        chosen_sizes(signature("transpose.c"), {"W": 31, "H": 32}, 1 << 20)
    with pytest.raises(CallError, match="no power of two is a size for H"):
        chosen_sizes(signature("transpose.c"), {"W": 31}, 1 << 20)
    with pytest.raises(CallError, match=r"no size `n` \(it has: W, H\)"):
        chosen_sizes(signature("transpose.c"), {"n": 1}, 1 << 20)


def test_what_moves_is_what_the_contract_reads_and_writes() -> None:
    s = signature("transpose.c")
    data = random_data(s, {"W": 64, "H": 32})
    assert np.isnan(data["b"]).all() and not np.isnan(data["a"]).any()
    assert bytes_moved(s, data) == 2 * 4 * 64 * 32


def test_formulas_are_arithmetic_on_sizes() -> None:
    assert evaluated("2*m*n**2 + 1", {"m": 3, "n": 2}) == 25
    for wrong in ("2*", "print(1)", "m.x", "k", "1/0", "'a'"):
        with pytest.raises(CallError):
            evaluated(wrong, {"m": 3, "n": 2})


def test_rates_and_shares() -> None:
    m = Measurement("f", "a GPU", {"n": 5}, Timing((3.0, 1.0, 2.0)), 4 * 10**9, None, 4e12, {"library": Timing((1.0,))})
    assert m.rate() == 2000 and m.share() == 0.5 and m.ratio("library") == 0.5
    text = render_measurement(m)
    assert "f on a GPU: n = 5" in text and "f is 0.50 of it" in text and "2,000" in text
    assert measurement_json(m)["libraries"]["library"]["ratio"] == 0.5
    many = Measurement("f", "a GPU", {}, Timing((2.0,)), 10**9, 1e11, 4e12, {})
    assert many.unit == "TFLOP/s" and many.rate() == 50 and many.share() == 0.125


def test_libraries_are_those_that_compute_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """NumPy in the place of CuPy."""
    monkeypatch.setattr(libraries, "library", lambda name: np if name == "cupy" else None)
    a = np.random.default_rng(0).random((3, 5), np.float32)
    assert list(libraries.same_results([a], [np.ascontiguousarray(a.T)], [])) == ["CuPy transpose"]
    assert list(libraries.same_results([a], [a.sum(1)], [])) == ["CuPy sum"]
    assert not libraries.same_results([a], [np.ascontiguousarray(a.T) + 1], [])
    assert not libraries.same_results([a], [np.ascontiguousarray(a.T)], [2.0])
    v = a.reshape(-1)
    assert list(libraries.same_results([v], [v.cumsum()], [])) == ["CUB (CuPy cumsum)"]
    assert list(libraries.same_results([v], [v.sum(keepdims=True)], [])) == ["CUB (CuPy sum)"]
    assert list(libraries.same_results([a, a.T.copy()], [a @ a.T], [])) == ["cuBLAS (CuPy matmul)"]
    assert list(libraries.same_results([v, v], [v + v], [])) == ["CuPy add"]


# The function and the command -----------------------------------------------------------------------------------------------


def test_a_built_function_times_itself() -> None:
    k = on_standin(TRANSPOSE, races=False)
    m = k.bench({"W": 64, "H": 32}, repeats=3)
    assert len(m.timing.runs) == 3 and m.where == "the CPU stand-in" and m.share() is None
    a, b = np.ones((32, 64), np.float32), np.zeros((64, 32), np.float32)
    assert k.bench(data={"a": a, "b": b}, repeats=1).sizes == {"W": 64, "H": 32}
    assert (b == 1).all()
    with pytest.raises(CallError, match="at least one run"):
        bench(k, repeats=0)


def test_functions_that_compute_on_the_host_are_not_timed_as_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("optigpu.runtime.bench.gpu_architecture", lambda: "90")
    text = TRANSPOSE.read_text(encoding="utf-8")
    k = on_standin(text.replace("kernel_kill();", "kernel_kill(); if (W > 0) { b[0][0] = 0.0f; }", 1), races=False)
    assert not k.takes_device_arrays and on_standin(TRANSPOSE, races=False).takes_device_arrays
    k.standin = False
    with pytest.raises(CallError, match="transpose also computes on the host"):
        k.bench()


@no_gpu
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "no GPU was found, so there is nothing to time (--cpu times the CPU stand-in)"),
        (["--cpu", "--size", "W"], "write NAME=NUMBER"),
        (["--cpu", "--size", "W=x"], "write NAME=NUMBER"),
        (["--cpu", "--size", "q=3"], "transpose has no size `q`"),
        (["--cpu", "--size", "W=64", "--size", "H=31"], "H % 32 == 0 does not hold"),
        (["--cpu", "--flops", "2*Q"], "`Q` in `2*Q` is no size"),
        (["--cpu", "--repeats", "0"], "at least one run is needed"),
    ],
)
def test_wrong_arguments_are_explained(options: list[str], says: str, capsys: Any) -> None:
    assert main(["bench", str(TRANSPOSE), *options]) == 2
    assert says in capsys.readouterr().err


def test_programs_without_kernels_and_wrong_ones_are_not_timed(tmp_path: Path, capsys: Any) -> None:
    assert main(["bench", str(ROOT / "examples/axpy.c"), "--cpu"]) == 2
    assert "launches no kernel" in capsys.readouterr().err
    assert main(["bench", str(tmp_path / "none.json"), "--cpu"]) == 2
    assert "is not there" in capsys.readouterr().err
    text = TRANSPOSE.read_text(encoding="utf-8")
    wrong = tmp_path / "wrong.c"
    wrong.write_text(text.replace("blocksync();", ""), encoding="utf-8")
    assert main(["bench", str(wrong), "--cpu"]) == 1


@pytest.mark.filterwarnings("ignore:no GPU was found")
def test_what_was_built_is_timed_where_no_solver_is(tmp_path: Path, capsys: Any) -> None:
    assert main(["build", str(TRANSPOSE), "-o", str(tmp_path / "t.cu")]) == 0
    code = f"""
import sys
sys.modules.update(dict.fromkeys(("lark", "greenlet", "z3", "cvc5")))
from optigpu.cli import main
assert main(["doctor"]) == 0
assert main(["bench", "t.c", "--cpu"]) == 2
sys.exit(main(["bench", {str(tmp_path / "t.cu")!r}, "--cpu", "--json", "--size", "W=64", "--size", "H=32"]))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    assert "can only run what `optigpu build` made elsewhere" in result.stderr and "not verified" not in result.stderr
    assert json.loads(result.stdout[result.stdout.index("{") :])["sizes"] == {"W": 64, "H": 32}
