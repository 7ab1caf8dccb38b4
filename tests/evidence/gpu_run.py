"""The kernels that `gpu_kernels.py` wrote, compiled by nvcc at -O3 and run on the GPU of this machine beside the interpreter's
answers. Needs nvcc and NumPy alone.

`python tests/evidence/gpu_run.py` runs those of build/gpu-kernels; `--cpu` on the CPU stand-in. Prints a table and writes
results.json beside them, or to --out (build/evidence/gpu_run.json is where `page.py` looks). Each file of kernels is run by a
process of its own: if that ends or hangs, its kernels are counted as lost.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src"))

import numpy as np  # noqa: E402

from optigpu.runtime.nvcc import NVCC_FLAGS, gpu_architecture, gpu_name, nvcc  # noqa: E402
from optigpu.runtime.signature import DTYPES  # noqa: E402

RELATIVE, ABSOLUTE = 2e-4, 2e-4  # of floats; integers are compared exactly
SECONDS = 180  # for one file of kernels


def compiled(file: Path, cpu: bool) -> tuple[Path | None, str]:
    """A library, or what the compiler says."""
    if cpu:
        from optigpu.runtime.call_error import BuildError
        from optigpu.runtime.standin import compile_standin

        try:
            return compile_standin(file.read_text(encoding="utf-8")), ""
        except BuildError as e:
            return None, str(e)
    library = file.with_suffix(".so")
    arch = gpu_architecture() or "90"
    target = ("-gencode", f"arch=compute_{arch},code=sm_{arch}")
    command = [nvcc() or "nvcc", *NVCC_FLAGS, *target, "-o", str(library), str(file)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return (library, "") if result.returncode == 0 else (None, (result.stderr + result.stdout).strip()[:2000])


class DeviceError(Exception):
    """What a call on the device answered."""


class Library:
    """One compiled file: its kernels, and memory on the device."""

    def __init__(self, path: Path) -> None:
        self.code = ctypes.CDLL(str(path))

    def ask(self, name: str, *args: Any) -> None:
        status = getattr(self.code, f"device_{name}")(*args)
        if status:
            raise DeviceError(f"{name}: error {status}")

    def allocate(self, size: int) -> ctypes.c_void_p:
        pointer = ctypes.c_void_p()
        self.ask("allocate", ctypes.byref(pointer), ctypes.c_size_t(max(size, 1)))
        return pointer

    def put(self, to: ctypes.c_void_p, array: Any) -> None:
        self.ask("put", to, array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes))

    def get(self, array: Any, source: ctypes.c_void_p) -> None:
        self.ask("get", array.ctypes.data_as(ctypes.c_void_p), source, ctypes.c_size_t(array.nbytes))

    def call(self, name: str, args: list[Any]) -> None:
        function = getattr(self.code, name)
        function.restype = ctypes.c_char_p
        message = function(*args)
        self.ask("wait")
        if message is not None:
            raise DeviceError(message.decode())


def differs(expected: Any, have: Any, known: Any) -> str:
    """Where the arrays differ first, in cells that the interpreter knows."""
    same = (
        np.isclose(expected, have, RELATIVE, ABSOLUTE, equal_nan=True) if have.dtype.kind == "f" else expected == have
    )
    wrong = np.argwhere(~same & known)
    if not len(wrong):
        return ""
    at = tuple(int(i) for i in wrong[0])
    return (
        f"[{']['.join(map(str, at))}] is {have[at]}, expected {expected[at]} ({len(wrong)} of {have.size} cells differ)"
    )


def run(library: Library, kernel: dict[str, Any], which: int, data: Any, repeat: int) -> str:
    """One kernel on one input, several times: what differs, or nothing."""
    name, recorded_run = kernel["name"], kernel["runs"][which]

    def stored(array: str, what: str) -> Any:
        return data.get(f"{name}.{which}.{array}.{what}")

    arrays = [p for p in kernel["params"] if p["array"]]
    before = {p["name"]: stored(p["name"], "before") for p in arrays}
    after = {p["name"]: stored(p["name"], "after") for p in arrays}
    known = {p["name"]: True if (k := stored(p["name"], "known")) is None else k for p in arrays}
    buffers = {p["name"]: library.allocate(before[p["name"]].nbytes) for p in arrays if p["on_device"]}
    result = c_type(kernel["result"])() if kernel["result"] else None
    try:
        for _ in range(repeat):
            have = {n: a.copy() for n, a in before.items()}
            for n, pointer in buffers.items():
                library.put(pointer, have[n])
            args: list[Any] = []
            for p in kernel["params"]:
                if not p["array"]:
                    args.append(c_type(p["type"])(recorded_run["scalars"][p["name"]]))
                else:
                    args.append(buffers.get(p["name"]) or have[p["name"]].ctypes.data_as(ctypes.c_void_p))
            library.call(name, args if result is None else [*args, ctypes.byref(result)])
            for n, pointer in buffers.items():
                library.get(have[n], pointer)
            for n, array in have.items():
                if what := differs(after[n], array, known[n]):
                    return f"{n}{what}"
            if result is not None and not np.isclose(float(recorded_run["result"]), result.value, RELATIVE, ABSOLUTE):
                return f"the result is {result.value}, expected {recorded_run['result']}"
    finally:
        for pointer in buffers.values():
            library.code.device_free(pointer)
    return ""


def c_type(name: str) -> Any:
    t = np.dtype(DTYPES[name])
    match t.kind:
        case "f":
            return ctypes.c_float if t.itemsize == 4 else ctypes.c_double
        case "b":
            return ctypes.c_bool
        case _:
            return getattr(ctypes, f"c_{'u' * (t.kind == 'u')}int{8 * t.itemsize}")


def run_file(stem: Path, library: Path, repeat: int) -> None:
    """In a process of its own: one line of JSON for each kernel."""
    loaded = Library(library)
    data = dict(np.load(stem.with_suffix(".npz")))
    for kernel in json.loads(stem.with_suffix(".json").read_text(encoding="utf-8")):
        difference = ""
        for which in range(len(kernel["runs"])):
            try:
                difference = difference or run(loaded, kernel, which, data, repeat)
            except DeviceError as e:
                difference = str(e)
        print(json.dumps({"name": kernel["name"], "differs": difference}), flush=True)


def outcome(stem: Path, library: Path, repeat: int) -> tuple[dict[str, str], str]:
    """What differs, by kernel; and why some have no answer."""
    command = [sys.executable, __file__, "--one", str(stem), "--library", str(library), "--repeat", str(repeat)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired as e:
        out = e.stdout.decode() if isinstance(e.stdout, bytes) else e.stdout or ""
        return answers(out), f"no answer in {SECONDS} s"
    why = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
    return answers(done.stdout), "" if done.returncode == 0 else why[0]


def answers(text: str) -> dict[str, str]:
    lines = [json.loads(x) for x in text.splitlines() if x.startswith("{") and x.endswith("}")]
    return {x["name"]: x["differs"] for x in lines}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "gpu-kernels")
    parser.add_argument("--cpu", action="store_true", help="on the CPU stand-in")
    parser.add_argument("--jobs", type=int, default=16, help="compilers at a time")
    parser.add_argument("--processes", type=int, default=4, help="files that run at a time")
    parser.add_argument(
        "--repeat", type=int, default=20, help="runs of each kernel on each input: races show on some schedules"
    )
    parser.add_argument("--out", type=Path, help="for the results, instead of results.json in the folder")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--library", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one is not None:
        run_file(args.one, args.library, args.repeat)
        return 0
    if not args.cpu and gpu_architecture() is None:
        print("no GPU was found: --cpu runs on the CPU stand-in", file=sys.stderr)
        return 2
    stems = sorted(p.with_suffix("") for p in args.folder.glob("*.cu"))
    begin = time.perf_counter()
    with ThreadPoolExecutor(args.jobs) as pool:
        libraries = list(pool.map(lambda s: compiled(s.with_suffix(".cu"), args.cpu), stems))
    compiling = time.perf_counter() - begin
    with ThreadPoolExecutor(args.processes) as pool:
        outcomes = list(pool.map(lambda x: ({}, x[1][1]) if x[1][0] is None else outcome(x[0], x[1][0], args.repeat),
                              zip(stems, libraries)))  # fmt: skip
    running = time.perf_counter() - begin - compiling
    rows, bad = [], []
    for stem, (differing, trouble) in zip(stems, outcomes):
        kernels = json.loads(stem.with_suffix(".json").read_text(encoding="utf-8"))
        rows.append(row(stem.name, kernels, differing, args.repeat))
        bad += [{"file": stem.name, "kernel": n, "differs": d} for n, d in differing.items() if d]
        bad += [{"file": stem.name, "trouble": trouble}] if trouble else []
    total = {n: sum(r[n] for r in rows) for n in ("kernels", "exchanging", "inputs", "runs", "differing", "lost")}
    where = "the CPU stand-in" if args.cpu else gpu_name()
    report = {
        "repeat": args.repeat,
        "on": where,
        "total": total,
        "compiling_s": round(compiling, 1),
        "running_s": round(running, 1),
        "bad": bad,
        "files": rows,
    }
    out = args.out or args.folder / "results.json"
    out.write_text(json.dumps(report, indent=1), encoding="utf-8")
    for b in bad:
        print(json.dumps(b))
    print(f"{'':14}" + "".join(f"{n:>12}" for n in total))
    for label, r in ((x["file"], x) for x in rows if x["differing"] or x["lost"] or not x["file"].startswith("random")):
        print(f"{label:14}" + "".join(f"{r[n]:12}" for n in total))
    print(f"{'all':14}" + "".join(f"{n:12}" for n in total.values()))
    print(f"on {where}: compiled in {compiling:.0f} s, run in {running:.0f} s")
    return 1 if total["differing"] or total["lost"] or not total["kernels"] else 0


def row(file: str, kernels: list[dict[str, Any]], differing: dict[str, str], repeat: int) -> dict[str, Any]:
    ran = [k for k in kernels if k["name"] in differing]
    inputs = sum(len(k["runs"]) for k in ran)
    return {
        "file": file,
        "kernels": len(kernels),
        "exchanging": sum(k["exchanging"] for k in kernels),
        "inputs": inputs,
        "runs": inputs * repeat,
        "differing": sum(bool(d) for d in differing.values()),
        "lost": len(kernels) - len(ran),
    }


if __name__ == "__main__":
    sys.exit(main())
