"""The harness for kernels on a GPU, on the CPU stand-in: kernels agree with the interpreter, and differences are reported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from optigpu.check.verify import Verifier
from optigpu.frontend import parse_text
from tests.conftest import ROOT
from tests.evidence.gpu_kernels import candidate, chosen, program, record, write
from tests.evidence.page import gpu_part
from tests.support.cuda import REVERSED_ROWS

SUM = """float g(int n, float d[n], int k) {
  __requires("A: int -> float, n >= 0");
  __reads("d ~> Matrix1(n, A)");
  __ensures("_Res == Sum(i in 0..n, A(i))");
  float* const e = __gmem_malloc1<float>(n);
  memcpy_host_to_device1(e, d, n);
  float* const r = __gmem_malloc1<float>(1);
  kernel_launch(1, 1, 0);
  kernel_setup_end();
  thread for (int b = 0; b < 1; b++) { float v = 0.0f; for (int i = 0; i < n; i++) v += e[i]; r[b] = v; }
  kernel_teardown_begin();
  kernel_kill();
  float* const h = MALLOC1(float, 1);
  memcpy_device_to_host1(h, r, 1);
  const float total = h[0];
  free(h);
  gmem_free(e);
  gmem_free(r);
  return total;
}
"""


def made(text: str) -> dict[str, Any]:
    parsed = parse_text(text)
    assert Verifier().verify(parsed).verified
    kernel = record(parsed, 0)
    assert kernel is not None
    return kernel


@pytest.fixture(scope="module")
def kernels() -> list[dict[str, Any]]:
    return [made(REVERSED_ROWS), made(SUM)]


def run(folder: Path) -> tuple[int, dict[str, Any]]:
    command = [
        sys.executable,
        str(ROOT / "tests/evidence/gpu_run.py"),
        "--cpu",
        "--folder",
        str(folder),
        "--repeat",
        "2",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    report: dict[str, Any] = json.loads((folder / "results.json").read_text())
    return done.returncode, report


def test_kernels_agree_with_the_interpreter(kernels: list[dict[str, Any]], tmp_path: Path) -> None:
    write({"random-000": kernels[:1], "random-001": kernels[1:]}, tmp_path / "kernels")
    code, report = run(tmp_path / "kernels")
    inputs = sum(len(k["runs"]) for k in kernels)
    wanted = {"kernels": 2, "exchanging": 1, "inputs": inputs, "runs": 2 * inputs, "differing": 0, "lost": 0}
    assert (code, report["total"], report["bad"]) == (0, wanted, [])


@pytest.mark.parametrize(
    ("right", "wrong", "says", "counted"),
    [
        ("s[3 - t]", "s[t]", "expected", "differing"),
        ("v += e[i]", "v -= e[i]", "the result is", "differing"),
        ("const int t = threadIdx.x;", "const int t = no_name;", "rejected", "lost"),
        ("__syncthreads();", "if (t == 0) __syncthreads();", "barrier", "differing"),
    ],
)
def test_what_differs_is_told(
    kernels: list[dict[str, Any]], tmp_path: Path, right: str, wrong: str, says: str, counted: str
) -> None:
    write({"random-000": [kernels["v +=" in right]]}, tmp_path / "kernels")
    emitted = tmp_path / "kernels" / "random-000.cu"
    text = emitted.read_text(encoding="utf-8")
    assert right in text
    emitted.write_text(text.replace(right, wrong), encoding="utf-8")
    code, report = run(tmp_path / "kernels")
    assert code == 1 and report["total"][counted] == 1
    assert says in json.dumps(report["bad"])


OWN = REVERSED_ROWS.replace("s[3 - t]", "s[t]").replace("D(b, 3 - t)", "D(b, t)")
BEFORE = REVERSED_ROWS.replace("s[t] = d[b][t]", "s[t] = d[b][3 - t]").replace("s[3 - t]", "s[t]")
SHUFFLED = """void f(int G, float d[G][32]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 32, GMem, D)");
  __produces("d ~> Cells2Of(G, 32, GMem)");
  kernel_launch(G, 32, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    float* const x = __treg_malloc0<float>();
    thread for (int t = 0; t < 32; t++) x[DMINDEX1(32, t)] = d[b][t];
    shfl_down(&x[DMINDEX1(32, 0)], &x[DMINDEX1(32, 0)], 1);
    thread for (int t = 0; t < 32; t++) d[b][t] = x[DMINDEX1(32, t)];
  }
  kernel_teardown_begin();
  kernel_kill();
}
"""


@pytest.mark.parametrize(
    ("text", "exchanging"),
    [
        (REVERSED_ROWS, True),
        (SHUFFLED, True),
        (OWN, False),  # each thread reads its own cell
        (BEFORE, False),  # each thread reads what was there before the launch
        (SHUFFLED.replace(", 1);", ", 0);"), False),
    ],
    ids=["shared", "shuffled", "own", "before", "shuffled by nothing"],
)
def test_threads_exchange_data_if_one_gets_what_another_wrote(text: str, exchanging: bool) -> None:
    assert made(text)["exchanging"] == exchanging


def test_half_of_the_chosen_kernels_exchange_data() -> None:
    kernels = [{"number": n, "exchanging": n % 3 == 0} for n in range(30)]
    assert [k["number"] for k in chosen(kernels[::-1], 8)] == [0, 1, 2, 3, 4, 5, 6, 9]
    assert len(chosen(kernels, 20)) == 20 and sum(k["exchanging"] for k in chosen(kernels, 20)) == 10


def test_random_kernels_are_the_same_in_every_run() -> None:
    assert program(0, 7) == program(0, 7) != program(1, 7)
    outcomes = [candidate(0, n, Verifier())[0] for n in range(4)]
    assert set(outcomes) <= {"kernel", "not verified", "no lowering"} and "kernel" in outcomes


def test_the_page_of_evidence_tells_what_was_run() -> None:
    total = {"kernels": 2027, "exchanging": 1026, "inputs": 6000, "runs": 120000, "differing": 0, "lost": 0}
    text = gpu_part({"on": "NVIDIA H200", "repeat": 20, "total": total, "bad": []})
    assert "2,027 verified kernels" in text and "on NVIDIA H200" in text and "**0**; no answer: **0**" in text
