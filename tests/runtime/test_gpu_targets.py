"""Several GPUs, and GPUs that the compilers do not know: code for each, or a clear error."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from optigpu.runtime import arrays, cuda, nvcc, nvrtc
from optigpu.runtime.call_error import BuildError
from optigpu.runtime.cuda import CudaFunction
from optigpu.runtime.launching import Launcher
from optigpu.runtime.nvcc import CompileTarget, compile_cuda, target_flags, target_for
from tests.conftest import ROOT
from tests.support.cuda import emitted, on_standin
from tests.support.device_arrays import DeviceArray
from tests.support.launching import StandinDriver, make_nvrtc

KNOWN = (75, 80, 90, 100, 120)
ADD = ROOT / "examples" / "gpu" / "vector_add.c"


@pytest.mark.parametrize(
    ("architecture", "known", "target"),
    [
        ("90", KNOWN, CompileTarget("90", False)),
        ("103", KNOWN, CompileTarget("100", True)),
        ("130", KNOWN, CompileTarget("120", True)),
        ("86", KNOWN, CompileTarget("80", True)),
        ("130", (), CompileTarget("130", False)),  # a compiler that does not say
    ],
)
def test_what_is_compiled_for_a_gpu(architecture: str, known: tuple[int, ...], target: CompileTarget) -> None:
    assert target_for(architecture, known, "nvcc") == target


def test_a_gpu_that_is_too_old_is_said() -> None:
    with pytest.raises(
        BuildError, match=r"nvcc compiles for GPUs of compute capability 7.5 and newer, but this one has 6.1"
    ):
        target_for("61", KNOWN, "nvcc")


def test_flags_of_several_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvcc, "nvcc_targets", lambda compiler: KNOWN)
    assert target_flags("nvcc", ["90", "130", "121"]) == [
        "-gencode", "arch=compute_90,code=sm_90", "-gencode", "arch=compute_120,code=compute_120",
    ]  # fmt: skip


@pytest.mark.skipif(nvcc.nvcc() is None, reason="there is no nvcc")
def test_nvcc_compiles_for_gpus_that_it_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = nvcc.nvcc()
    assert compiler is not None
    known = nvcc.nvcc_targets(compiler)
    assert 80 in known and 90 in known
    monkeypatch.setattr(nvcc, "gpu_architectures", lambda: ("90", "999"))
    compile_cuda(emitted(ADD).text)
    with pytest.raises(BuildError, match=r"and newer, but this one has 1\.0"):
        compile_cuda(emitted(ADD).text, ("10",))


ARCHITECTURES = """
int nvrtcGetNumSupportedArchs(int* n) { *n = 2; return 0; }
int nvrtcGetSupportedArchs(int* known) { known[0] = 80; known[1] = 90; return 0; }
int nvrtcGetPTXSize(void* p, unsigned long* size) { *size = 4; return 0; }
int nvrtcGetPTX(void* p, char* to) { to[0] = 'P'; to[1] = 'T'; to[2] = 'X'; to[3] = 0; return 0; }
"""


def test_nvrtc_gives_ptx_for_gpus_that_it_does_not_know(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NVRTC", str(make_nvrtc(tmp_path, ARCHITECTURES)))
    monkeypatch.setenv("OPTIGPU_CACHE", str(tmp_path / "cache"))
    functions = (nvrtc.nvrtc, nvrtc.nvrtc_version, nvrtc.nvrtc_targets)
    for f in functions:
        f.cache_clear()
    try:
        assert nvrtc.compile_nvrtc("void f();", "90") == b"--std=c++17 --gpu-architecture=sm_90 "
        assert nvrtc.compile_nvrtc("void f();", "120").rstrip(b"\0") == b"PTX"
        with pytest.raises(BuildError, match=r"NVRTC .* compiles for GPUs of compute capability 8.0 and newer"):
            nvrtc.compile_nvrtc("void f();", "75")
    finally:
        for f in functions:
            f.cache_clear()


class Contexts:
    """The driver of each GPU, by which of them is the current one."""

    def __init__(self) -> None:
        self.stack: list[int] = []
        self.seen: list[int] = []

    def driver(self, number: int) -> Any:
        class One:
            @contextmanager
            def current(one) -> Iterator[None]:
                self.stack.append(number)
                self.seen.append(number)
                yield
                self.stack.pop()

        return One()


def test_arrays_of_another_gpu_are_used_there(monkeypatch: pytest.MonkeyPatch) -> None:
    contexts = Contexts()
    monkeypatch.setattr(arrays, "gpu_of_pointer", lambda pointer: 1)
    monkeypatch.setattr(cuda, "gpu_count", lambda: 2)
    monkeypatch.setattr(cuda, "driver", contexts.driver)
    k = on_standin(ADD)
    k.standin = False
    inner, devices = k._device, []

    def device(*raw: Any, stream: int, device_: int) -> None:
        devices.append((device_, list(contexts.stack)))
        inner(*raw, stream=stream, device_=device_)

    k._device = device
    a, b, c = (np.ones(1024, np.float32) for _ in range(3))
    call = k.prepared(DeviceArray(a), DeviceArray(b), DeviceArray(c))
    k(DeviceArray(a), DeviceArray(b), DeviceArray(c))
    for _ in range(2):
        call()
    assert (c == 2).all()
    assert devices == [(1, [1])] * 3 and contexts.stack == []


def test_kernels_are_compiled_for_the_gpu_that_runs_them() -> None:
    unit, made = emitted(ADD), []
    drivers = {0: StandinDriver(), 1: StandinDriver()}

    def image(device: int) -> bytes:
        made.append(device)
        return unit.device_text.encode()

    assert unit.plan is not None
    launcher = Launcher(on_standin(ADD).signature, unit.plan, image, drivers.__getitem__)
    a, b, c = (np.ones(1024, np.float32) for _ in range(3))
    raw = [x.ctypes.data if isinstance(x, np.ndarray) else x for x in (1024, a, b, c)]
    for device in (1, 1, 0):
        launcher.on_device(*raw, stream=0, device=device)
    assert made == [1, 0] and (c == 2).all()


@pytest.mark.gpu
@pytest.mark.skipif(nvcc.gpu_count() < 2, reason="needs two GPUs")
def test_a_call_on_the_second_gpu() -> None:
    from optigpu.runtime.driver import DeviceArray as OnGpu

    unit = emitted(ADD)
    k = CudaFunction(unit.text, on_standin(ADD).signature, on_device=unit.on_device, alignment=unit.alignment)
    a, b, c = (OnGpu.of(np.ones(1024, np.float32), 1) for _ in range(3))
    k(a, b, c)
    assert (c.get() == 2).all()


def test_without_a_driver_arrays_are_on_the_first_gpu() -> None:
    if nvcc.gpu_count() < 2:
        assert arrays.gpu_of_pointer(ctypes.addressof(ctypes.c_int())) == 0
