"""Run the operators of KernelBench level 1 on the GPU of this machine: compile, compare with PyTorch, and time beside it.

`python -m benchmarks.kernelbench.run` must have written build/kernelbench/ before. Needs NumPy, PyTorch and the CUDA toolkit.
Small sizes are compared with PyTorch in float64, the sizes of the benchmark with PyTorch in float32. Eager PyTorch is timed with
its defaults, which allow TF32 tensor cores in convolutions, and without them; `--compile` also times torch.compile.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

import torch  # noqa: E402
from benchmarks.kernelbench import OPERATORS, Operator  # noqa: E402

from optigpu.runtime.cuda import CudaFunction  # noqa: E402
from optigpu.runtime.manifest import load  # noqa: E402

BUILD = ROOT / "build" / "kernelbench"
Row = dict[str, Any]
TYPES = {"int64": torch.int64, "": torch.float32}


def tensors(operator: Operator, sizes: dict[str, int], large: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """Random inputs on the GPU, and outputs that hold no result."""
    outputs = {}
    for name, shape in operator.outputs(sizes).items():
        kind = TYPES[operator.arrays[name].data.partition(" ")[2]]
        outputs[name] = torch.full(shape, -7 if kind is torch.int64 else float("nan"), dtype=kind, device="cuda")
    if not large:
        return {k: torch.tensor(v, device="cuda") for k, v in operator.inputs(sizes).items()}, outputs
    inputs = {}
    for name, a in operator.arrays.items():
        if not a.data.startswith("output"):
            inputs[name] = drawn(a.data, a.dims(sizes), sizes)
    return inputs, outputs


def drawn(data: str, shape: tuple[int, ...], sizes: dict[str, int]) -> Any:
    kind, _, bound = data.partition(" ")
    if kind == "index":
        return torch.randint(0, sizes[bound], shape, device="cuda")
    a = torch.rand(shape, device="cuda") if kind in ("mask", "positive") else torch.randn(shape, device="cuda")
    match kind:
        case "mask":
            return a < 0.5
        case "positive":
            return a.add_(0.1)
        case "sign":
            return torch.where(a < 0, -1.0, 1.0)
        case "symmetric":
            return (a + a.T) / 2
        case "upper":
            return torch.triu(a)
        case "lower":
            return torch.tril(a)
        case "near":
            return a.mul_(1 / 1024).add_(1) if len(shape) == 2 else a.div_(8).add_(1)
    return a


def error_of(got: Any, want: Any) -> float:
    if not got.numel():
        return 0.0
    got, want = got.flatten(), want.flatten()
    worst, largest = 0.0, 1.0
    for i in range(0, got.numel(), 1 << 27):  # in parts: float64 copies of large results do not fit
        g, w = got[i : i + (1 << 27)].double(), want[i : i + (1 << 27)].double()
        same = (g == w) | (g.isnan() & w.isnan())
        worst = max(worst, float(torch.where(same, 0.0, (g - w).abs()).nan_to_num(nan=float("inf")).max()))
        finite = w[w.isfinite()]
        largest = max(largest, float(finite.abs().max()) if finite.numel() else 1.0)
    return worst / largest


def small_error(operator: Operator, f: CudaFunction) -> float:
    worst = 0.0
    for sizes in operator.small:
        inputs, outputs = tensors(operator, sizes, large=False)
        f(**inputs, **outputs, **operator.scalars)
        wide = [x.double() if x.dtype == torch.float32 else x for x in inputs.values()]
        want = operator.torch(torch, *wide, *operator.scalars.values())
        worst = max(worst, error_of(next(iter(outputs.values())), want))
    return worst


def milliseconds(call: Any, seconds: float = 0.25) -> float:
    """The median over runs that take about so many seconds together, after a warm-up."""
    call()
    torch.cuda.synchronize()
    start = time.perf_counter()
    call()
    torch.cuda.synchronize()
    runs = max(3, min(50, int(seconds / max(1e-6, time.perf_counter() - start))))
    pairs = []
    for _ in range(runs):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        call()
        end.record()
        pairs.append((begin, end))
    torch.cuda.synchronize()
    return statistics.median(b.elapsed_time(e) for b, e in pairs)


def tf32(allowed: bool) -> None:
    torch.backends.cudnn.allow_tf32 = allowed
    torch.backends.cuda.matmul.allow_tf32 = False


def measured(operator: Operator, f: CudaFunction, compiled: bool) -> Row:
    inputs, outputs = tensors(operator, operator.large, large=True)
    values = (*inputs.values(), *operator.scalars.values())
    row: Row = {"ours_ms": milliseconds(f.prepared(**inputs, **outputs, **operator.scalars))}
    tf32(False)
    want = operator.torch(torch, *values)
    row["large_error"] = error_of(next(iter(outputs.values())), want)
    del want
    row["eager_ms"] = milliseconds(lambda: operator.torch(torch, *values))
    tf32(True)
    row["eager_tf32_ms"] = milliseconds(lambda: operator.torch(torch, *values))
    return row | compiled_time(operator, values) if compiled else row


def compiled_time(operator: Operator, values: tuple[Any, ...]) -> Row:
    """torch.compile with its defaults; TF32 as in eager PyTorch's defaults."""
    torch._dynamo.reset()  # after a few functions of one text it would go back to eager mode
    function = torch.compile(lambda *a: operator.torch(torch, *a))
    try:
        return {"compile_ms": milliseconds(lambda: function(*values))}
    except Exception as e:  # what was measured before stays
        return {"compile_problem": f"{type(e).__name__}: {str(e)[:300]}"}


def built(operators: list[Operator]) -> list[tuple[Operator, str]]:
    """The functions in build/kernelbench/: those of the scripts, and variants under names such as `023_softmax@wide`."""
    named = {o.name: o for o in operators}
    names = sorted(path.stem for path in BUILD.glob("[01]*.json"))
    return [(named[base], name) for name in names if (base := name.partition("@")[0]) in named]


def evaluate(operator: Operator, name: str, f: CudaFunction, allowed: float, compiled: bool) -> Row:
    row: Row = {"name": name}
    try:
        row["small_error"] = small_error(operator, f)
        row["right"] = row["small_error"] <= allowed
        row |= measured(operator, f, compiled)
        row["ratio"] = row["eager_ms"] / row["ours_ms"]
        row["ratio_tf32"] = row["eager_tf32_ms"] / row["ours_ms"]
    except Exception as e:  # one operator must not stop the others
        row["problem"] = f"{type(e).__name__}: {str(e)[:300]}"
    torch.cuda.empty_cache()
    return row


def sanitized(numbers: list[int]) -> dict[str, str]:
    """What memcheck and racecheck of compute-sanitizer report on the small sizes of all operators, with the kernels they name."""

    def report(tool: str) -> str:
        program = [sys.executable, "-W", "ignore", __file__, "--small", *map(str, numbers)]
        done = subprocess.run(
            ["compute-sanitizer", "--tool", tool, *program], check=False, capture_output=True, text=True
        )
        lines = [x for x in done.stdout.splitlines() if "SUMMARY" in x or "kernel" in x]
        return "\n".join([f"exit code {done.returncode}", *dict.fromkeys(lines), *done.stderr.splitlines()[-3:]])

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(("memcheck", "racecheck"), pool.map(report, ("memcheck", "racecheck"))))


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", type=int, nargs="+", metavar="NUMBER")
    options.add_argument("--small", type=int, nargs="+", metavar="NUMBER", help="only compare these, at small sizes")
    options.add_argument("--compile", action="store_true", help="also time torch.compile")
    options.add_argument("--sanitize", action="store_true", help="also run compute-sanitizer at small sizes")
    options.add_argument("--out", type=Path, default=BUILD)
    chosen = options.parse_args()
    numbers = chosen.small or chosen.only
    found = built([o for o in OPERATORS if not numbers or o.number in numbers])
    texts = [load(BUILD, name) for _, name in found]
    with ThreadPoolExecutor(16) as pool:
        functions = list(pool.map(lambda text: text.function(), texts))
    allowed = [o.allowed_error(text.source) for (o, _), text in zip(found, texts)]
    if chosen.small:
        worst = max(small_error(o, f) / most for (o, _), f, most in zip(found, functions, allowed))
        return 0 if worst <= 1 else 1
    rows = []
    for (operator, name), f, most in zip(found, functions, allowed):
        rows.append(evaluate(operator, name, f, most, chosen.compile))
        print(json.dumps(rows[-1]), flush=True)
        (chosen.out / "gpu_results.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    if chosen.sanitize:
        for tool, text in sanitized([o.number for o, _ in found]).items():
            print(tool, text, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
