"""`make demo`: the example programs, parsed, printed, run and tested; a script, its result and its trace."""

from __future__ import annotations

import runpy
import sys
import time
from pathlib import Path

import numpy as np

from optigpu.cli import main

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted(
    str(p.relative_to(Path.cwd()) if p.is_relative_to(Path.cwd()) else p) for p in (ROOT / "examples").glob("*.c")
)


def show(*argv: str) -> None:
    said = " ".join(a for a in argv if a not in EXAMPLES) + (
        " examples/*.c" if len(argv) > 5 else f" {argv[-1]}" * (argv[-1] in EXAMPLES)
    )
    print(f"\n$ optigpu {said}")
    code = main(argv)
    if code != 0:
        sys.exit(code)


def demo() -> None:
    start = time.perf_counter()
    transpose = next(e for e in EXAMPLES if e.endswith("/transpose.c") or e == "transpose.c")
    show("doctor")
    show("print", transpose)
    show("check", "--show-proof", transpose)
    show("check", *EXAMPLES)
    show("audit", transpose)
    show("run-c", *EXAMPLES)
    show("test", "--seconds", "0.3", *EXAMPLES)
    script = Path("examples/scripts/matmul.py") if Path("examples").is_dir() else ROOT / "examples/scripts/matmul.py"
    trace = Path("build/matmul.trace.html")
    trace.parent.mkdir(exist_ok=True)
    show("run", str(script), "--trace", str(trace))
    print(f"the script's result is build/matmul.c; every step is in {trace}: open it in a browser")
    transpose_on_gpu()
    print(
        f"\n{len(EXAMPLES)} example programs verified, compiled, run and tested in {time.perf_counter() - start:.1f} s"
    )


def transpose_on_gpu() -> None:
    """From the CPU program to CUDA, and its result beside NumPy's (on the CPU stand-in where there is no GPU)."""
    script, trace = ROOT / "examples/gpu/scripts/transpose.py", Path("build/transpose.trace.html")
    show("run", str(script), "--trace", str(trace))
    kernel = runpy.run_path(str(script))["s"].build()
    a = np.random.default_rng().random((70, 45), dtype=np.float32)
    b = np.full((45, 70), np.nan, np.float32)
    kernel(a=a, b=b)
    if not np.array_equal(b, a.T):
        sys.exit("the emitted CUDA does not transpose")
    print(f"build/transpose.cu ran ({kernel}) and agrees with NumPy; every step is in {trace}")


if __name__ == "__main__":
    demo()
