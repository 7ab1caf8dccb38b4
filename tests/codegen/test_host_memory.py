"""Emitted host code whose allocation fails: the call raises an error, frees its other allocations, and the process continues."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from optigpu.runtime.call_error import CallError
from tests.conftest import ROOT
from tests.support.compiling import address_space, compiled
from tests.support.cuda import emitted, on_standin

TOO_MUCH = 2**31 - 5  # elements, squared: more bytes than there are addresses
SEQUENTIAL = """float f(int n, float a[1]) {
  __consumes("a ~> Cells1(1)"); __produces("a ~> Matrix1(1, fun i -> 2)"); __requires("n >= 1"); __ensures("_Res == 2");
  float* const kept = MALLOC1(float, 1000000);
  kept[0] = 2.0f;
  float* const t = MALLOC2(float, n, n);
  t[MINDEX2(n, n, 0, 0)] = kept[0];
  a[0] = t[MINDEX2(n, n, 0, 0)];
  free(t);
  free(kept);
  return 2.0f;
}
"""
CALLED = """void g(int n) { float* const t = MALLOC2(float, n, n); free(t); }
void f(int n, float a[1]) {
  __consumes("a ~> Cells1(1)"); __produces("a ~> Matrix1(1, fun i -> 2)"); __requires("n >= 1");
  float* const kept = MALLOC1(float, 1000000);
  g(n);
  a[0] = 2.0f;
  free(kept);
}
"""
PARALLEL = """void f(int n, float a[64]) {
  __consumes("a ~> Cells1(64)"); __produces("a ~> Matrix1(64, fun i -> 2)"); __requires("n >= 1");
  float* const kept = MALLOC1(float, 1000000);
  #pragma omp parallel for
  for (int i = 0; i < 64; i++) {
    float* const s = MALLOC1(float, 1000000);
    float* const t = MALLOC2(float, n, i % 2 == 0 ? n : 1);
    a[i] = 2.0f;
    free(t);
    free(s);
  }
  free(kept);
}
"""
PROGRAMS = {"sequential": SEQUENTIAL, "called": CALLED, "parallel": PARALLEL}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_call_without_memory_is_an_error(name: str) -> None:
    f = compiled(PROGRAMS[name])
    a = np.zeros(64 if name == "parallel" else 1, np.float32)
    f(1, a)
    assert (a == 2).all()
    for _ in range(3):
        with pytest.raises(MemoryError, match="f: out of memory"):
            f(TOO_MUCH, a)
    before = address_space()
    for _ in range(200):  # 4 MB each, and in the parallel loop 64 times as much, if it were kept
        with pytest.raises(MemoryError):
            f(TOO_MUCH, a)
    assert address_space() - before < 100 << 20
    a[:] = 0
    f(1, a)
    assert (a == 2).all()


def test_results_are_results() -> None:
    assert compiled(SEQUENTIAL)(1, np.zeros(1, np.float32)) == 2.0
    assert compiled("int f(int n) { return n + 1; }")(4) == 5  # which allocates nothing


LIMITED = """
import resource
import numpy as np
from tests.support.compiling import address_space, compiled
f = compiled(PROGRAM)
a = np.zeros(1, np.float32)
resource.setrlimit(resource.RLIMIT_AS, (address_space() + (100 << 20), resource.RLIM_INFINITY))
for _ in range(5):
    try:
        f(8000, a)  # 256 MB
        raise SystemExit("there was memory")
    except MemoryError as e:
        assert "f: out of memory" in str(e)
f(10, a)
assert a[0] == 2
"""


def test_a_process_that_may_have_no_more() -> None:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    subprocess.run([sys.executable, "-c", f"PROGRAM = {SEQUENTIAL!r}{LIMITED}"], env=environment, check=True)


def test_a_parameter_with_the_name_of_the_function() -> None:
    f = compiled("""int f(int f, float a[f][2]) { __requires("f >= 0"); __reads("a ~> Cells2(f, 2)");
  float* const p = MALLOC3(float, f, f, f); free(p); return f; }""")
    assert f(np.zeros((3, 2), np.float32)) == 3
    g = compiled('int f(int f) { __requires("f >= 0"); float* const p = MALLOC3(float, f, f, f); free(p); return 1; }')
    with pytest.raises(MemoryError, match="f: out of memory"):
        g(2**31 - 1)


@pytest.mark.parametrize("size", ["n", "n / 2 * 2", "2 * n"])
def test_local_arrays_that_the_stack_has_no_room_for(size: str) -> None:
    f = compiled(f"""float f(int n) {{ __requires("n >= 2"); float t[{size}];
  t[0] = 1.0f; t[n - 2] = 2.0f; return t[0] + t[n - 2]; }}""")
    assert f(3) == 3.0
    with pytest.raises(MemoryError, match="f: out of memory"):
        f(2**28)
    assert f(3) == 3.0


def test_large_local_arrays_of_constant_size() -> None:
    text = "float f(int n) { float t[SIZE]; t[0] = 1.0f; return t[0]; }"
    assert compiled(text.replace("SIZE", "100000"))(1) == 1.0
    with pytest.raises(MemoryError, match="f: out of memory"):
        compiled(text.replace("SIZE", "200000000"))(1)


def test_names_that_the_entry_point_does_not_hide() -> None:
    text = SEQUENTIAL.replace("int n", "int frame").replace("n >= 1", "frame >= 1").replace("n, n", "frame, frame")
    assert compiled(text)(1, np.zeros(1, np.float32)) == 2.0


HOST = """void f(int n, float a[8]) {
  __requires("n >= 1"); __writes("a ~> Matrix1(8, fun i -> 1)");
  float* const h = MALLOC2(float, n, 8);
  for (int j = 0; j < 8; j++) h[MINDEX2(n, 8, 0, j)] = 1.0f;
  float* const d = __gmem_malloc1<float>(8);
  memcpy_host_to_device1(d, a, 8);
  kernel_launch(1, 8, 0);
  kernel_setup_end();
  thread for (int t = 0; t < 8; t++) d[t] = 1.0f;
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(a, d, 8);
  gmem_free(d);
  free(h);
}
""".replace("  memcpy_host_to_device1(d, a, 8);\n", "")


def test_host_code_of_kernels() -> None:
    assert "std::vector" not in emitted(HOST).text
    f = on_standin(HOST)
    a = np.zeros(8, np.float32)
    f(2, a)
    assert (a == 1).all()
    many = on_standin(
        HOST.replace("MALLOC2(float, n, 8)", "MALLOC3(float, n, n, 8)").replace(
            "MINDEX2(n, 8, 0, j)", "MINDEX3(n, n, 8, 0, 0, j)"
        )
    )
    for _ in range(2):
        with pytest.raises(CallError, match="out of memory on the host"):
            many(TOO_MUCH - 1024, a)
    many(2, a)
