"""Build, validate, sanitize and time the emitted kernels on the GPU of this machine. Needs NumPy, PyTorch and the CUDA toolkit.

`generate.py` must have written build/gpu/ before. Writes results.json and results.md there, or to --out; `table.py results.json`
makes the tables of README.md and docs/performance.md from it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(Path(__file__).parent)]

import numpy as np  # noqa: E402
import torch  # noqa: E402
from families import FAMILIES, Family, cub  # noqa: E402
from table import judged, table  # noqa: E402

from optigpu.runtime.call_error import CallError  # noqa: E402
from optigpu.runtime.cuda import CudaFunction  # noqa: E402
from optigpu.runtime.manifest import load  # noqa: E402

BUILD = ROOT / "build" / "gpu"
TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")


def median_ms(call: Any, flush: Any, repeats: int) -> float:
    """Median over runs, each after the L2 cache was overwritten."""
    start = time.perf_counter()
    while time.perf_counter() - start < 0.4:  # until the clocks are up, for the first kernel as for the last
        for _ in range(10):
            flush.zero_()
            call()
        torch.cuda.synchronize()
    pairs = []
    for _ in range(repeats):
        flush.zero_()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        call()
        end.record()
        pairs.append((begin, end))
    torch.cuda.synchronize()
    return statistics.median(b.elapsed_time(e) for b, e in pairs)


def validate(family: Family, f: CudaFunction, size: tuple[int, ...]) -> str:
    """'' if right, '(refused: …)' where the contract excludes the size, else what is wrong."""
    inputs, outputs = family.inputs(*size), family.outputs(*size)
    try:
        f(*inputs, *outputs)
    except CallError as error:
        if "does not hold" in str(error) or "has size" in str(error):
            return f"(refused: {error})"
        return f"call: {error}"
    torch.cuda.synchronize()
    scale = family.scale(*inputs)
    for got, want in zip(outputs, family.reference(*inputs)):
        if got.numel() == 0:
            continue
        error = float(((got.double() - want).abs().max()).item()) / scale
        if not error <= family.tolerance:
            return f"wrong at {size}: error {error:.3g}, allowed {family.tolerance:.3g}"
    return ""


def array_libraries(f: CudaFunction) -> dict[str, str]:
    """The transpose on NumPy, PyTorch (also on a stream of its own) and CuPy arrays, and on a tensor that is a view."""
    out: dict[str, str] = {}
    a = np.random.default_rng(3).random((100, 70), np.float32)

    def note(name: str, got: Any) -> None:
        out[name] = "right" if np.array_equal(np.asarray(got), a.T) else "WRONG"

    b = np.full((70, 100), np.nan, np.float32)
    f(a, b)
    note("NumPy", b)
    x, y = torch.tensor(a, device="cuda"), torch.full((70, 100), float("nan"), device="cuda")
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        f(x, y)
    stream.synchronize()
    note("PyTorch, on a stream", y.cpu().numpy())
    z = torch.full((100, 70), float("nan"), device="cuda")
    f(x.T, z)
    note("PyTorch, a view", z.cpu().numpy().T)
    try:
        import cupy

        u, v = cupy.asarray(a), cupy.full((70, 100), cupy.nan, dtype=cupy.float32)
        f(u, v)
        note("CuPy", v.get())
    except ImportError:
        out["CuPy"] = "not installed"
    return out


def by_the_driver(f: CudaFunction) -> str:
    """The timing that needs no other library, beside the one above."""
    try:
        m = f.bench({"W": 8192, "H": 8192})
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return f"transpose 8192² {m.rate():.0f} GB/s, {m.share():.2f} of a device copy"


def measure(
    family: Family, functions: dict[str, CudaFunction], size: tuple[int, ...], repeats: int
) -> list[dict[str, Any]]:
    inputs, outputs = family.inputs(*size), family.outputs(*size)
    flush = torch.empty(256 * 1024 * 1024, dtype=torch.uint8, device="cuda")
    work = family.work(*size)
    rows: list[dict[str, Any]] = []
    calls: dict[str, Any] = {}
    for key, f in functions.items():
        try:
            calls[key] = f.prepared(*inputs, *outputs)
        except CallError as error:
            print(f"  {key} {size}: {error}")
    try:
        calls.update(family.libraries(inputs, outputs))
    except Exception as error:
        print(f"  libraries for {family.name}: {type(error).__name__}: {error}", flush=True)
    for key, call in calls.items():
        moved = 8.0 * inputs[0].numel() if key == "device copy" else work
        try:
            ms = median_ms(call, flush, repeats)
        except Exception as error:
            print(f"  {key} {size}: {type(error).__name__}: {error}", flush=True)
            continue
        rate = (moved if not family.flops or key == "device copy" else work) / ms / (1e9 if family.flops else 1e6)
        rows.append(
            {"kernel": key, "size": list(size), "ms": ms, "rate": rate, "unit": "TFLOP/s" if family.flops else "GB/s"}
        )
    by_name = {r["kernel"]: r["rate"] for r in rows}
    for r in rows:
        r["ratios"] = {n: r["rate"] / v for n, v in by_name.items() if n in ("device copy",) or n not in functions}
    return rows


def sanitize(keys: list[str]) -> dict[str, str]:
    tool = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if not Path(tool).exists():
        return dict.fromkeys(TOOLS, "compute-sanitizer is not here")

    def one(check: str) -> str:
        command = [
            tool,
            "--tool",
            check,
            "--error-exitcode",
            "9",
            sys.executable,
            str(Path(__file__).parent / "small.py"),
            *keys,
        ]
        result = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
        lines = [x for x in (result.stdout + result.stderr).splitlines() if x.strip()]
        return "clean" if result.returncode == 0 else "\n".join(lines[-25:])

    with ThreadPoolExecutor(len(TOOLS)) as pool:
        return dict(zip(TOOLS, pool.map(one, TOOLS)))


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--out", type=Path, default=BUILD)
    options.add_argument("--only", nargs="*", help="keys or families")
    options.add_argument("--repeats", type=int, default=30)
    options.add_argument("--no-sanitizer", action="store_true")
    chosen = options.parse_args()
    manifest = json.loads((BUILD / "manifest.json").read_text(encoding="utf-8"))
    keys = [k for k, v in manifest.items() if not chosen.only or k in chosen.only or v["family"] in chosen.only]
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}", flush=True)

    with ThreadPoolExecutor(12) as pool:
        reference = pool.submit(cub)
        functions = dict(zip(keys, pool.map(lambda k: load(BUILD, k).function(standin=False), keys)))
        reference.result()
    print(f"{len(functions)} programs compiled", flush=True)

    problems: dict[str, str] = {}
    refused: dict[str, list[str]] = {}
    for key, f in functions.items():
        family = FAMILIES[manifest[key]["family"]]
        for size in (*family.sizes, *family.large):
            try:
                found = validate(family, f, size)
            except Exception as error:  # one kernel's failure must not hide the others' results
                found = f"{size}: {type(error).__name__}: {error}"
            if found.startswith("(refused"):
                refused.setdefault(key, []).append(f"{size}: {found}")
            elif found:
                problems[key] = found
                print(f"  {key}: {found}", flush=True)
        torch.cuda.empty_cache()
    print(f"validated: {len(functions) - len(problems)} right, {len(problems)} wrong", flush=True)

    libraries: dict[str, str] = {}
    try:
        libraries = array_libraries(functions["transpose_fast"]) if "transpose_fast" in functions else {}
    except Exception as error:
        libraries["arrays of libraries"] = f"{type(error).__name__}: {error}"
    for name, answer in libraries.items():
        print(f"  {name}: {answer}", flush=True)

    rows: list[dict[str, Any]] = []
    for name in dict.fromkeys(manifest[k]["family"] for k in keys):
        family = FAMILIES[name]
        mine = {k: functions[k] for k in keys if manifest[k]["family"] == name and k not in problems}
        for size in family.large:
            for r in measure(family, mine, size, chosen.repeats):
                rows.append(judged({**r, "family": name, "ours": r["kernel"] in mine}, manifest))
            torch.cuda.empty_cache()
    text = table(rows)
    print(text, flush=True)
    if "transpose_fast" in functions:
        print(f"by the driver alone: {by_the_driver(functions['transpose_fast'])}", flush=True)
    sanitizer = {} if chosen.no_sanitizer else sanitize(keys)
    for tool, answer in sanitizer.items():
        print(f"compute-sanitizer {tool}: {answer}", flush=True)
    chosen.out.mkdir(parents=True, exist_ok=True)
    result = {
        "device": torch.cuda.get_device_name(), "rows": rows, "problems": problems, "refused": refused, "sanitizer": sanitizer,
        "libraries": libraries,
    }  # fmt: skip
    (chosen.out / "results.json").write_text(json.dumps(result, indent=1), encoding="utf-8")
    (chosen.out / "results.md").write_text(text + "\n", encoding="utf-8")
    return 1 if problems or any(v != "clean" for v in sanitizer.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
