"""The stand-in called from several threads: results and errors are those of the call."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from optigpu.runtime.call_error import CallError
from optigpu.runtime.cuda import CudaFunction
from tests.support.cuda import on_standin, one_kernel

ROWS = """thread for (int b = 0; b < B; b++) {
  __shared__ float s[8];
  thread for (int t = 0; t < 8; t++) s[t] = d[b][t];
  blocksync();
  thread for (int t = 0; t < 8; t++) d[b][t] = s[7 - t];
}"""
THREADS, CALLS = 8, 30


def together(work: Callable[[int], None]) -> None:
    """All start at once."""
    start = threading.Barrier(THREADS)

    def one(number: int) -> None:
        start.wait()
        for _ in range(CALLS):
            work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(one, n) for n in range(THREADS)]:
            done.result()


@pytest.mark.parametrize("races", [False, True])
def test_several_threads_call_one_function(races: bool) -> None:
    f = on_standin(one_kernel(ROWS, shared="8 * sizeof(float)"), races=races)
    g = on_standin(one_kernel(ROWS, shared="8 * sizeof(float)"), races=races)  # the same library

    def work(number: int) -> None:
        a = np.full((40, 8), number, np.float32) + np.arange(8, dtype=np.float32) / 16
        h = a.copy()
        (f if number % 2 else g)(h)
        assert np.array_equal(h, a[:, ::-1])

    together(work)


def test_an_error_is_that_of_its_call() -> None:
    k = on_standin(one_kernel(ROWS, shared="8 * sizeof(float)"), races=False)
    barrier = "__syncthreads();"
    assert k.source.count(barrier) == 1
    text = k.source.replace(barrier, f"if (blockIdx.x < 39 || threadIdx.x < 4) {barrier}")
    diverging = CudaFunction(text, k.signature, standin=True)

    def work(number: int) -> None:
        size = 40 if number % 2 else 20
        h = np.zeros((size, 8), np.float32)
        if size == 40:
            with pytest.raises(CallError, match="divergent barrier"):
                diverging(h)
        else:
            diverging(h)

    together(work)
