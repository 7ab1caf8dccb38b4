"""The data of a size on the GPU, whose memory is host memory here: what candidates write is fresh for each of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from optigpu.runtime import driver
from optigpu.runtime.call_error import CallError
from optigpu.runtime.launching import Launcher
from optigpu.runtime.signature import ArrayParam
from optigpu.runtime.timing import Timing
from optigpu.tuning import measuring_process
from optigpu.tuning.measuring_process import CandidateRuns, Request
from tests.support.cuda import emitted, on_standin
from tests.support.launching import StandinDriver

ADDS = """
void f(int n, float a[n], float b[n]) {
  __requires("A: int -> float, B: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __consumes("b ~> Matrix1(n, B)"); __produces("b ~> Cells1(n)");
  float* const x = __gmem_malloc1<float>(n);
  float* const y = __gmem_malloc1<float>(n);
  memcpy_host_to_device1(x, a, n);
  memcpy_host_to_device1(y, b, n);
  kernel_launch(n, 1, 0);
  kernel_setup_end();
  thread for (int i = 0; i < n; i++) { y[i] = y[i] + FACTOR * x[i]; }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(b, y, n);
  gmem_free(x);
  gmem_free(y);
}
"""


class OnFakeGpu:
    """A function on device arrays, by its launch plan."""

    def __init__(self, source: str, gpu: StandinDriver) -> None:
        unit = emitted(source)
        assert unit.plan is not None
        self.signature = on_standin(source, races=False).signature
        self.launcher = Launcher(self.signature, unit.plan, unit.device_text.encode(), lambda number: gpu)

    def prepared(self, **arguments: Any) -> Callable[[], None]:
        arrays = {p.name for p in self.signature.params if isinstance(p, ArrayParam)}
        raw = [arguments[p.name].pointer if p.name in arrays else arguments[p.name] for p in self.signature.params]
        return lambda: self.launcher.on_device(*raw, stream=0, device=0)


def test_candidates_start_from_the_same_data_on_the_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = StandinDriver()
    copied: list[int] = []
    copy_in = gpu.copy_in
    monkeypatch.setattr(gpu, "copy_in", lambda to, source, size: (copied.append(size), copy_in(to, source, size)))
    monkeypatch.setattr(driver, "driver", lambda number=0: gpu)
    monkeypatch.setattr(measuring_process, "gpu_works", lambda: True)
    timed: list[object] = []

    def time_on_gpu(call: Callable[[], None], repeats: int, warm_up: float) -> Timing:
        timed.append(call())  # what is timed changes the data
        return Timing((1.0, 3.0, 2.0))

    monkeypatch.setattr(measuring_process, "time_on_gpu", time_on_gpu)
    functions = {key: OnFakeGpu(ADDS.replace("FACTOR", key), gpu) for key in ("2.0f", "3.0f", "(1.0f + 1.0f)")}

    def compiled(folder: Path, name: str, key: str, standin: bool, compiler: str | None) -> Any:
        if key == "none":
            raise CallError("it also computes on the host")
        return functions[key]

    monkeypatch.setattr(measuring_process, "compiled", compiled)
    request = Request("", "f", ("2.0f", "none", "3.0f", "(1.0f + 1.0f)"), (), {"n": 16}, False, None, 3)
    runs = CandidateRuns()
    answers = [a for a in runs.group(request) if "candidate" in a and "event" not in a]
    assert [a.get("same_as") for a in answers] == ["2.0f", None, "3.0f", "2.0f"]
    assert answers[1]["failure"] == "it also computes on the host" and answers[0]["milliseconds"] == 2.0
    assert len(timed) == 3 and copied == [64] * 4  # `a` once, `b` for each candidate
    again = Request("", "f", ("(1.0f + 1.0f)",), ("3.0f", "2.0f"), {"n": 16}, False, None, 3)
    (answer,) = [a for a in runs.group(again) if "candidate" in a and "event" not in a]
    assert answer["same_as"] == "2.0f" and len(timed) == 4  # those that are known are not timed again


def test_a_gpu_that_no_longer_works_ends_the_group(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*args: Any) -> Any:
        raise CallError("cuMemcpyDtoH_v2: an illegal memory access was encountered")

    monkeypatch.setattr(measuring_process, "compiled", fails)
    monkeypatch.setattr(measuring_process, "gpu_works", lambda: False)
    request = Request("", "f", ("x", "y"), (), {"n": 16}, False, None, 3)
    answers = list(CandidateRuns().group(request))
    assert [a.get("candidate") for a in answers] == ["x", "x"] and "illegal" in str(answers[1]["failure"])
