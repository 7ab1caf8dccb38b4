"""Threads that exchange data: verified, right on the stand-in, and nothing of the exchange is lost when nvcc compiles it at -O3."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from optigpu.check.verify import Verifier
from optigpu.commands.differential import compare
from optigpu.interp.runner import Runner
from optigpu.runtime.nvcc import nvcc
from tests.support.cuda import kernel_text, on_standin, parsed
from tests.support.exchange import EXCHANGES, compiled, device_code, exchange, expected, promising, remains, unit_of

PROMISE_BREAKS = {"global_loop", "global_one_for_all", "global_shift", "shared_dynamic", "warp_global"}
needs_nvcc = pytest.mark.skipif(nvcc() is None, reason="needs nvcc")


def name_of(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", EXCHANGES, ids=name_of)
def test_exchanges_are_verified_and_agree_with_the_interpreter(path: Path) -> None:
    program = exchange(path)
    assert Verifier().verify(program).verified
    difference = compare(on_standin(program), Runner(program), program.function(path.stem), runs=2)
    assert difference is None, difference


@pytest.fixture(scope="module")
def text() -> str:
    return device_code([unit_of(p) for p in EXCHANGES])


def lost(text: str) -> dict[str, str]:
    """The programs of which something is missing in the compiled text, with what is there."""
    operations, out = compiled(text), {}
    for path in EXCHANGES:
        names = [f"{path.stem}_kernel", f"{path.stem}_kernel2"]
        for name, wanted in zip(names, expected(path)):
            if not remains(wanted, operations[name]):
                out[path.stem] = operations[name]
    return out


@needs_nvcc
def test_compiled_kernels_keep_the_accesses_that_the_exchange_needs(text: str) -> None:
    assert lost(text) == {}


@needs_nvcc
def test_a_promise_that_no_other_thread_writes_loses_accesses(text: str) -> None:
    """So the check would have seen it."""
    assert set(lost(promising(text))) >= PROMISE_BREAKS


@needs_nvcc
def test_a_lost_barrier_is_missed(text: str) -> None:
    without = re.sub(r"__sync(threads|warp)\(\);", "", text)
    unsynchronised = {"warp_shuffles", "global_two_kernels"}
    assert set(lost(without)) == {p.stem for p in EXCHANGES} - unsynchronised


@pytest.mark.parametrize(
    ("operations", "kept"),
    [
        ("ld.global st.global | ld.global st.global", True),
        ("st.global | ld.global.nc ld.global", True),
        ("st.global | ld.global.nc", False),
        ("| st.global ld.global", False),
        ("st.global ld.global |", False),
        ("st.global | | ld.global", False),
        ("st.global ld.global", False),
    ],
)
def test_accesses_are_kept_on_their_side_of_the_barrier(operations: str, kept: bool) -> None:
    assert remains("st.global | ld.global", operations) == kept


@pytest.mark.parametrize(("operations", "kept"), [("a | b | a | b |", True), ("a | b |", True), ("a | b | a |", False)])
def test_a_loop_is_kept_however_often_it_was_unrolled(operations: str, kept: bool) -> None:
    assert remains("( a | b | )+", operations) == kept


# What is promised of arrays --------------------------------------------------------------------------------------------------

READ_AND_WRITTEN = """
__device__ void put(float* p, float v) {
  __writes("p ~~>[GMem] v");
  p[0] = v;
}

__device__ float got(float* p) {
  __requires("v: float");
  __reads("p ~~>[GMem] v");
  __ensures("_Res == v");
  return p[0];
}

void f(int n, float a[n], float b[n]) {
  __requires("A: int -> float, n >= 0");
  __reads("a ~> Matrix1Of(n, GMem, A)");
  __consumes("b ~> UninitMatrix1Of(n, GMem)");
  __produces("b ~> Matrix1Of(n, GMem, A)");
  kernel_launch(n, 1, 0);
  kernel_setup_end();
  thread for (int i = 0; i < n; i++) {
    STORE
  }
  kernel_teardown_begin();
  kernel_kill();
}
"""


@pytest.mark.parametrize(
    "store",
    [
        "b[i] = a[i];",
        "put(&b[i], got(&a[i]));",
        "float* const q = &b[i]; q[0] = a[i];",
        "float* const q = b; float* const p = a; put(&q[i], p[i]);",
        "__gmem_set(&b[i], __gmem_get(&a[i]));",
    ],
)
def test_only_arrays_that_no_thread_writes_are_promised_to_be_left_alone(store: str) -> None:
    text = READ_AND_WRITTEN.replace("STORE", store)
    assert Verifier().verify(parsed(text)).verified
    assert "f_kernel(const float* __restrict__ a, float* b)" in kernel_text(text)


def test_an_array_that_some_kernel_writes_is_promised_where_others_read_it() -> None:
    (path,) = [p for p in EXCHANGES if p.stem == "global_two_kernels"]
    assert "float* d)" in kernel_text(path, 0)
    assert "const float* __restrict__ d, float* e)" in kernel_text(path, 1)
