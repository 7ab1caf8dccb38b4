"""Without nvcc: kernels compiled alone and launched by a plan do what the compiled host code does."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from optigpu.codegen.launch_plan import PlanLaunch
from optigpu.runtime import cuda, nvrtc
from optigpu.runtime.call_error import BuildError, CallError
from optigpu.runtime.cuda import CudaFunction
from optigpu.runtime.driver import Driver
from optigpu.runtime.launching import Launcher
from optigpu.runtime.manifest import BuiltCuda, load, save
from optigpu.runtime.nvcc import nvcc
from tests.conftest import ROOT
from tests.support.cuda import GRID_OF_TWO_LOOPS, emitted, on_standin
from tests.support.launching import StandinDriver, make_nvrtc

rng = np.random.default_rng(5)
FAST = ROOT / "examples" / "gpu" / "fast"
LOOPS = """
void f(int n, int steps, int twice, double a[n]) {
  __requires("steps_some: steps >= 0"); __consumes("a ~> Cells1(n)"); __produces("a ~> Cells1(n)");
  double* const x = __gmem_malloc1<double>(n);
  double* const y = __gmem_malloc1<double>(n);
  memcpy_host_to_device1(x, a, n);
  for (int s = 0; s < steps; s++) {
    const int shift = 2 * s + 1;
    kernel_launch(n, 1, 0);
    kernel_setup_end();
    thread for (int i = 0; i < n; i++) { y[i] = x[(i + shift) % n] + s; }
    kernel_teardown_begin();
    kernel_kill();
    if (twice > 0) {
      kernel_launch(n, 1, 0);
      kernel_setup_end();
      thread for (int i = 0; i < n; i++) { x[i] = 2.0 * y[i]; }
      kernel_teardown_begin();
      kernel_kill();
    } else {
      memcpy_device_to_device1(x, y, n);
    }
  }
  memcpy_device_to_host1(a, x, n);
  gmem_free(x);
  gmem_free(y);
}"""


def planned(source: str | Path) -> tuple[Launcher, StandinDriver]:
    unit, driver = emitted(source), StandinDriver()
    assert unit.plan is not None
    signature = on_standin(source, races=False).signature
    return Launcher(signature, unit.plan, unit.device_text.encode(), lambda number: driver), driver


def called(launcher: Launcher, *args: Any) -> None:
    """As CudaFunction calls it."""
    signature = launcher.signature
    bound = signature.bind(args, {})
    signature.check(bound)
    values = [bound[p.name] for p in signature.params]
    launcher.on_host(*(v.ctypes.data if isinstance(v, np.ndarray) else v for v in values))


def random(*shape: int) -> Any:
    return rng.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize(
    ("path", "inputs", "out"),
    [
        ("fast/transpose.c", [(70, 130)], (130, 70)),
        ("fast/reduce.c", [(5003,)], (1,)),
        ("fast/scan.c", [(20000,)], (20000,)),
        ("fast/softmax.c", [(2, 16384)], (2, 16384)),
        ("matmul_shared.c", [(64, 32), (32, 96)], (64, 96)),
    ],
)
def test_a_plan_does_what_the_host_code_does(path: str, inputs: list[tuple[int, ...]], out: tuple[int, ...]) -> None:
    source = ROOT / "examples" / "gpu" / path
    launcher, driver = planned(source)
    arrays = [random(*s) for s in inputs]
    by_plan, by_code = np.full(out, np.nan, np.float32), np.full(out, np.nan, np.float32)
    called(launcher, *arrays, by_plan)
    on_standin(source, races=False)(*arrays, by_code)
    assert np.array_equal(by_plan, by_code) and not np.isnan(by_plan).any()
    assert not driver.memory, "everything is freed"


@pytest.mark.parametrize("twice", [0, 1])
def test_a_plan_has_loops_branches_copies_and_constants(twice: int) -> None:
    a = rng.standard_normal(7)
    b = a.copy()
    called(planned(LOOPS)[0], 3, twice, a)
    on_standin(LOOPS)(3, twice, b)
    assert np.array_equal(a, b)


@pytest.mark.parametrize("n", [0, 1, 65535, 140000])
def test_a_plan_launches_large_grids_in_slices(n: int) -> None:
    launcher, driver = planned(GRID_OF_TWO_LOOPS.replace("REQUIRES", ""))
    a = np.full((n, 2), np.nan, np.float32)
    called(launcher, a)
    assert (a == 2 * np.arange(n)[:, None] + np.arange(2)).all()
    assert len(driver.launches) == -(-n // 65535)
    assert sum(grid[1] for grid, _, _ in driver.launches) == n


def test_a_plan_refuses_what_the_host_code_refuses() -> None:
    launcher, _ = planned(FAST / "vector_add.c")
    with pytest.raises(CallError, match="n is too large for 32-bit indices"):
        launcher.on_host(2**31 - 100, 0, 0, 0)
    launcher, _ = planned(
        GRID_OF_TWO_LOOPS.replace("REQUIRES", "").replace(
            "kernel_teardown_begin", "thread for (int k = 0; k < n * m; k++) { } kernel_teardown_begin"
        )
    )
    with pytest.raises(CallError, match="more than 2147483647 blocks"):
        launcher.on_device(100000, 100000, 0, stream=0, device=0)


def test_memory_is_freed_when_a_launch_fails() -> None:
    launcher, driver = planned(FAST / "reduce.c")
    driver.launch = lambda *args: (_ for _ in ()).throw(CallError("refused"))  # type: ignore[method-assign]
    with pytest.raises(CallError, match="refused"):
        called(launcher, random(10), random(1))
    assert not driver.memory


def test_shared_memory_beyond_48_kib_is_asked_for() -> None:
    calls: list[tuple[str, tuple[Any, ...]]] = []

    class Recorded(Driver):
        def __init__(self) -> None:
            pass

        def call(self, name: str, *args: Any) -> None:
            calls.append((name, args))

    import ctypes

    function = ctypes.c_void_p(1)
    Recorded().launch(function, [3], [32, 4], 48 * 1024, 0, [ctypes.c_int(3)])
    assert [n for n, _ in calls] == ["cuLaunchKernel"]
    assert [x.value for x in calls[0][1][1:8]] == [3, 1, 1, 32, 4, 1, 48 * 1024]
    Recorded().launch(function, [3], [32], 48 * 1024 + 1, 0, [])
    assert [n for n, _ in calls] == ["cuLaunchKernel", "cuFuncSetAttribute", "cuLaunchKernel"]


def test_plans_survive_files(tmp_path: Path) -> None:
    for text in (LOOPS, (FAST / "scan.c").read_text(encoding="utf-8")):
        unit, signature = emitted(text), on_standin(text, races=False).signature
        built = BuiltCuda(unit.text, signature, True, dict(unit.alignment), unit.device_text, unit.plan)
        save(built, tmp_path, "t")
        assert load(tmp_path, "t") == built


def test_files_that_were_changed_or_are_not_ours_are_refused(tmp_path: Path) -> None:
    unit, signature = emitted(LOOPS), on_standin(LOOPS).signature
    path = save(BuiltCuda(unit.text, signature, True, {}, unit.device_text, unit.plan), tmp_path, "t")
    (tmp_path / "t.cu").write_text(unit.text + "// more\n", encoding="utf-8")
    with pytest.raises(CallError, match=r"t\.cu was changed after t\.json was written"):
        load(tmp_path, "t")
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(CallError, match="is not what `optigpu build` writes"):
        load(tmp_path, "t")
    path.write_text("{", encoding="utf-8")
    with pytest.raises(CallError, match="is not what `optigpu build` wrote"):
        load(tmp_path, "t")
    with pytest.raises(CallError, match=r"other\.json is not there"):
        load(tmp_path, "other")


def test_host_code_beyond_launches_has_no_plan() -> None:
    assert emitted(ROOT / "examples/gpu/reduce.c").plan is None
    steps = emitted(FAST / "reduce.c").plan
    assert steps is not None and sum(isinstance(s, PlanLaunch) for s in steps) == 2


UNSIZED = """void shift(int n, float* a, float* b) {
  __requires("A: int -> float, n >= 1");
  __reads("for i in 0..n -> &a[i] ~~> A(i)"); __writes("for i in 0..n -> &b[i] ~> Cell");
  float* const x = __gmem_malloc1<float>(n);
  float* const y = __gmem_malloc1<float>(n);
  memcpy_host_to_device1(x, a, n);
  kernel_launch(n, 1, 0);
  kernel_setup_end();
  thread for (int i = 0; i < n; i++) { y[i] = x[i] + 1.0f; }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(b, y, n);
  gmem_free(x);
  gmem_free(y);
}"""


@pytest.mark.filterwarnings("ignore:.*does not check")
def test_a_launcher_copies_no_array_whose_size_is_not_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    sized = UNSIZED.replace("float* a, float* b", "float a[n], float b[n]")
    unit = emitted(UNSIZED)
    assert unit.plan is None and unit.on_device
    a, b = np.arange(6, dtype=np.float32), np.zeros(6, np.float32)
    on_standin(UNSIZED)(6, a, b)
    assert np.array_equal(b, a + 1), "compiled host code copies what the contract says"
    launcher, driver = planned(sized)
    b[:] = 0
    launcher.on_host(6, a.ctypes.data, b.ctypes.data)
    assert np.array_equal(b, a + 1)
    signature = on_standin(UNSIZED, races=False).signature
    wrong = Launcher(signature, launcher.plan, launcher.image, lambda number: driver)
    with pytest.raises(CallError, match="the size of `a` is not declared"):
        wrong.on_host(6, a.ctypes.data, b.ctypes.data)
    assert not driver.memory
    monkeypatch.setattr(cuda, "gpu_architecture", lambda: "90")
    with pytest.raises(BuildError, match="the size of `a` is not declared: NVRTC is not enough"):
        CudaFunction(unit.text, signature, on_device=True, kernels=unit.device_text, compiler="nvrtc")


# The compiler ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """NVRTC as found by $NVRTC; what was found before is forgotten."""
    monkeypatch.setenv("NVRTC", str(make_nvrtc(tmp_path)))
    monkeypatch.setenv("OPTIGPU_CACHE", str(tmp_path / "cache"))
    nvrtc.nvrtc.cache_clear()
    nvrtc.nvrtc_version.cache_clear()
    nvrtc.nvrtc_targets.cache_clear()
    yield tmp_path
    nvrtc.nvrtc.cache_clear()
    nvrtc.nvrtc_version.cache_clear()
    nvrtc.nvrtc_targets.cache_clear()


def test_nvrtc_compiles_for_the_architecture_once(library: Path) -> None:
    for _ in range(2):
        assert nvrtc.compile_nvrtc("void f();", "90") == b"--std=c++17 --gpu-architecture=sm_90 "
    assert (library / "count").read_text() == "x"
    nvrtc.compile_nvrtc("void f();", "80")
    assert (library / "count").read_text() == "xx"


def test_what_nvrtc_says_is_passed_on(library: Path) -> None:
    with pytest.raises(BuildError, match=r"NVRTC_ERROR_COMPILATION\nemitted.cu\(1\): error: told to"):
        nvrtc.compile_nvrtc("#error told to", "90")


def test_the_compiler_that_is_there_is_used(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "gpu_architecture", lambda: "90")
    monkeypatch.setattr(cuda, "nvcc", lambda: None)
    unit, signature = emitted(FAST / "reduce.c"), on_standin(FAST / "reduce.c", races=False).signature
    k = CudaFunction(unit.text, signature, on_device=True, kernels=unit.device_text, plan=unit.plan)
    assert k.compiler == "nvrtc" and "on the GPU, by nvrtc" in repr(k)
    other = emitted(ROOT / "examples/gpu/reduce.c")
    with pytest.raises(BuildError, match="nvcc is needed"):
        CudaFunction(other.text, signature, kernels=other.device_text, plan=other.plan)
    with pytest.raises(BuildError, match="no compiler `gcc`"):
        CudaFunction(unit.text, signature, plan=unit.plan, compiler="gcc")
    monkeypatch.setattr(cuda, "nvcc", lambda: "nvcc")
    assert cuda.chosen_compiler(None) == "nvcc"
    monkeypatch.setattr(cuda, "nvcc", lambda: None)
    monkeypatch.setattr(cuda, "nvrtc", lambda: None)
    with pytest.raises(BuildError, match="neither nvcc nor NVRTC was found"):
        cuda.chosen_compiler(None)


def test_a_missing_nvrtc_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvrtc, "nvrtc", lambda: None)
    with pytest.raises(BuildError, match="NVRTC was not found"):
        nvrtc.compile_nvrtc("", "90")


@pytest.mark.skipif(nvrtc.nvrtc() is None, reason="NVRTC is not here")
@pytest.mark.parametrize("name", ["reduce", "softmax", "matmul"])
def test_nvrtc_itself_compiles_the_kernels(name: str) -> None:
    assert nvrtc.compile_nvrtc(emitted(FAST / f"{name}.c").device_text, "90").startswith(b"\x7fELF")


@pytest.mark.skipif(nvcc() is None, reason="nvcc is not here")
def test_device_code_stands_alone(tmp_path: Path) -> None:
    file = tmp_path / "kernels.cu"
    file.write_text(emitted(FAST / "scan.c").device_text, encoding="utf-8")
    command = [
        nvcc() or "nvcc",
        "-ptx",
        "-arch=sm_90",
        "-Werror",
        "all-warnings",
        "-o",
        str(tmp_path / "x.ptx"),
        str(file),
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert ".entry scan_kernel3(" in (tmp_path / "x.ptx").read_text(encoding="utf-8")
