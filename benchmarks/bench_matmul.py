"""The matrix multiply of examples/scripts against the program it was made from and NumPy, with the same number of threads.

    python benchmarks/bench_matmul.py [out.json] [size]

The naive program is built the same way (-O3) and has one thread, as it is written.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

THREADS = os.environ.setdefault("OMP_NUM_THREADS", str(os.cpu_count() or 1))
for library in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"):
    os.environ[library] = THREADS  # before NumPy is loaded

import runpy  # noqa: E402

import numpy as np  # noqa: E402

import optigpu as og  # noqa: E402

SCRIPTS = Path(__file__).parent.parent / "examples" / "scripts"


def best(f: Callable[[], object], seconds: float = 3.0, least: int = 3) -> float:
    """The fastest of several runs, after one to warm up."""
    f()
    times: list[float] = []
    while len(times) < least or sum(times) < seconds:
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    sys.setrecursionlimit(10_000)
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 1024
    rng = np.random.default_rng(0)
    a, b = rng.random((n, n), dtype=np.float32), rng.random((n, n), dtype=np.float32)
    c = np.empty((n, n), np.float32)
    fast, naive = runpy.run_path(str(SCRIPTS / "matmul.py"))["s"].build(), og.Script(SCRIPTS / "matmul.c").build()
    expected = a @ b
    taken: dict[str, float] = {}
    for f in (naive, fast):
        c.fill(np.nan)
        f(a=a, b=b, c=c)
        np.testing.assert_allclose(c, expected, rtol=1e-3)
    taken["numpy"] = best(lambda: np.matmul(a, b, out=c))
    taken["script"] = best(lambda: fast(a=a, b=b, c=c))
    taken["naive"] = best(lambda: naive(a=a, b=b, c=c), least=2)
    rates = {name: 2 * n**3 / t / 1e9 for name, t in taken.items()}
    print(f"float32 matrix multiply, {n} x {n} x {n}, {THREADS} threads")
    print(f"{'program':<22} {'seconds':>8} {'GFLOP/s':>8}")
    for name, label in (("naive", "naive, -O3, 1 thread"), ("script", "by the script"), ("numpy", "NumPy")):
        print(f"{label:<22} {taken[name]:>8.4f} {rates[name]:>8.1f}")
    against = {"naive": rates["script"] / rates["naive"], "numpy": rates["script"] / rates["numpy"]}
    print(f"the script's program: {against['naive']:.1f} x naive, {against['numpy']:.2f} x NumPy")
    if len(sys.argv) > 1:
        data = {"size": n, "threads": int(THREADS), "seconds": taken, "gflops": rates, "ratio": against}
        Path(sys.argv[1]).write_text(json.dumps(data, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
