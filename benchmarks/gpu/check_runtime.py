"""The runtime on a machine with a GPU, NumPy, PyTorch and CuPy, and neither parser nor solver: a PASS or FAIL line for each check.

`generate.py` must have written build/gpu/ before.    PYTHONPATH=src python benchmarks/gpu/check_runtime.py [--small] [WORD…]
With words, only the checks whose names contain one of them; --small leaves out arrays of more than 2^31 elements.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src"))
for missing in ("lark", "greenlet", "z3", "cvc5"):  # as if they were not installed, wherever this runs
    sys.modules[missing] = None  # type: ignore[assignment]

import numpy as np  # noqa: E402

from optigpu.runtime.call_error import CallError  # noqa: E402
from optigpu.runtime.cuda import CudaFunction  # noqa: E402
from optigpu.runtime.driver import Driver  # noqa: E402
from optigpu.runtime.manifest import load  # noqa: E402
from optigpu.runtime.nvrtc import nvrtc_version  # noqa: E402
from optigpu.runtime.timing import copy_bandwidth  # noqa: E402

BUILD = ROOT / "build" / "gpu"
ANY = "transpose_script"  # a transpose of any size
ADD = "vector_add_fast"  # vectors of any size, by accesses to four elements
TILES = "transpose"  # sizes divisible by 32
Check = Callable[[], str | None]
CHECKS: dict[str, Check] = {}
rng = np.random.default_rng()


def check(name: str) -> Callable[[Check], Check]:
    """A check raises, or gives a word about what was seen."""

    def add(f: Check) -> Check:
        CHECKS[name] = f
        return f

    return add


@cache
def function(key: str, compiler: str = "nvcc") -> CudaFunction:
    return load(BUILD, key).function(standin=False, compiler=compiler)


def keys(*families: str) -> list[str]:
    manifest = json.loads((BUILD / "manifest.json").read_text(encoding="utf-8"))
    return [k for k, v in manifest.items() if not families or v["family"] in families]


def random(*shape: int) -> Any:
    return rng.standard_normal(shape).astype(np.float32)


def poison(*shape: int) -> Any:
    return np.full(shape, np.nan, np.float32)


def same(got: Any, want: Any) -> None:
    assert np.array_equal(np.asarray(got), want), "wrong result"


def torch() -> Any:
    import torch

    return torch


def cupy() -> Any:
    import cupy

    return cupy


def refused(words: str, *args: Any, key: str = ANY) -> None:
    """The call is an error that says these words."""
    try:
        function(key)(*args)
    except CallError as e:
        assert words in str(e), f"said: {e}"
        return
    raise AssertionError(f"accepted, instead of: {words}")


# Arrays of each library -----------------------------------------------------------------------------------------------------


@check("NumPy arrays")
def _() -> None:
    a, b = random(100, 70), poison(70, 100)
    function(ANY)(a, b)
    same(b, a.T)
    function(ANY)(a=a, b=b, W=70, H=100)


@check("PyTorch tensors in host memory")
def _() -> None:
    a = random(40, 70)
    b = torch().full((70, 40), float("nan"))
    function(ANY)(torch().tensor(a), b)
    same(b.numpy(), a.T)


@check("PyTorch tensors on a side stream")
def _() -> None:
    """The input arrives late on the stream: a kernel on another one would read what was there before."""
    t, a = torch(), random(2000, 1500)
    source = t.tensor(a, device="cuda")
    x, y = t.full((2000, 1500), float("nan"), device="cuda"), t.full((1500, 2000), float("nan"), device="cuda")
    function(ANY)(source, y)  # loaded before the race against time
    y.fill_(float("nan"))
    t.cuda.synchronize()
    stream = t.cuda.Stream()
    with t.cuda.stream(stream):
        t.cuda._sleep(200_000_000)
        x.copy_(source)
        function(ANY)(x, y)
    stream.synchronize()
    same(y.cpu().numpy(), a.T)


@check("CuPy arrays, on a stream of CuPy's")
def _() -> None:
    c, a = cupy(), random(300, 500)
    x, y = c.asarray(a), c.full((500, 300), c.nan, dtype=c.float32)
    function(ANY)(x, y)
    same(y.get(), a.T)
    y[:] = c.nan
    stream = c.cuda.Stream(non_blocking=True)
    stream.use()
    try:
        function(ANY)(x, y)
        stream.synchronize()
    finally:
        c.cuda.Stream.null.use()
    same(y.get(), a.T)


@check("a PyTorch tensor beside a CuPy array")
def _() -> None:
    a = random(64, 32)
    x, y = torch().tensor(a, device="cuda"), cupy().full((32, 64), np.nan, dtype=np.float32)
    function(ANY)(x, y)
    torch().cuda.synchronize()
    same(y.get(), a.T)


# NVRTC ----------------------------------------------------------------------------------------------------------------------


@check("NVRTC: NumPy arrays")
def _() -> str:
    a, b = random(100, 70), poison(70, 100)
    function(ANY, "nvrtc")(a, b)
    same(b, a.T)
    return f"NVRTC {nvrtc_version()}"


@check("NVRTC: PyTorch on a side stream")
def _() -> None:
    t, a = torch(), random(2000, 1500)
    source = t.tensor(a, device="cuda")
    x, y = t.full((2000, 1500), float("nan"), device="cuda"), t.full((1500, 2000), float("nan"), device="cuda")
    function(ANY, "nvrtc")(source, y)  # loaded before the race against time
    y.fill_(float("nan"))
    t.cuda.synchronize()
    stream = t.cuda.Stream()
    with t.cuda.stream(stream):
        t.cuda._sleep(200_000_000)
        x.copy_(source)
        function(ANY, "nvrtc")(x, y)
    stream.synchronize()
    same(y.cpu().numpy(), a.T)


@check("NVRTC: CuPy arrays")
def _() -> None:
    c, a = cupy(), random(33, 65)
    y = c.full((65, 33), c.nan, dtype=c.float32)
    function(ANY, "nvrtc")(c.asarray(a), y)
    c.cuda.Device().synchronize()
    same(y.get(), a.T)


SHAPES: dict[str, tuple[tuple[int, ...], ...]] = {
    "vector_add": ((5000,), (5000,), (5000,)),
    "transpose": ((128, 192), (192, 128)),
    "reduce": ((50000,), (1,)),
    "scan": ((40000,), (40000,)),
    "softmax": ((3, 16384), (3, 16384)),
    "stencil2d": ((67, 140), (67, 140)),
    "matmul": ((256, 128), (128, 384), (256, 384)),
}


@check("NVRTC: every program, beside nvcc")
def _() -> str:
    manifest = json.loads((BUILD / "manifest.json").read_text(encoding="utf-8"))
    count = 0
    for key in keys():
        if load(BUILD, key).plan is None:
            continue
        *inputs, out = SHAPES[manifest[key]["family"]]
        arrays = [random(*s) for s in inputs]
        first, second = poison(*out), poison(*out)
        function(key)(*arrays, first)
        function(key, "nvrtc")(*arrays, second)
        assert np.allclose(first, second, rtol=1e-5, atol=1e-5) and not np.isnan(first).any(), key
        count += 1
    assert count
    return f"{count} programs"


@check("the memory pool of the process keeps its threshold")
def _() -> str:
    gpu, pool = Driver(), ctypes.c_void_p()
    gpu.call("cuDeviceGetDefaultMemPool", ctypes.byref(pool), 0)

    def threshold() -> int:
        value = ctypes.c_uint64(0)
        gpu.call("cuMemPoolGetAttribute", pool, 4, ctypes.byref(value))  # CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
        return value.value

    before, used = threshold(), keys("reduce", "scan")  # which take scratch memory
    for key in used:
        *inputs, out = SHAPES[json.loads((BUILD / "manifest.json").read_text(encoding="utf-8"))[key]["family"]]
        function(key)(*on_gpu(*(random(*s) for s in inputs), poison(*out)))
    torch().cuda.synchronize()
    assert threshold() == before
    return f"{len(used)} programs"


# Errors ---------------------------------------------------------------------------------------------------------------------


def on_gpu(*arrays: Any) -> list[Any]:
    return [torch().tensor(a, device="cuda") for a in arrays]


@check("error: wrong shape")
def _() -> None:
    refused("has size", random(10, 20), random(21, 10))
    refused("has size", *on_gpu(random(10, 20), random(21, 10)))
    refused("2 dimensions, not 1", *on_gpu(random(10, 20), random(200)))


@check("error: wrong dtype")
def _() -> None:
    refused("holds float32, not float64", random(10, 20).astype(np.float64), random(20, 10))
    refused("holds float32, not float64", *on_gpu(random(10, 20).astype(np.float64), random(20, 10)))
    refused("holds float32, not float16", *on_gpu(random(10, 20), random(20, 10).astype(np.float16)))


@check("error: arrays on different devices")
def _() -> None:
    refused("not all on the same device", on_gpu(random(10, 20))[0], random(20, 10))


@check("error: not contiguous")
def _() -> None:
    refused("is not contiguous", random(20, 10).T, random(20, 10))
    refused("is not contiguous", on_gpu(random(20, 10))[0].T, on_gpu(random(20, 10))[0])
    refused("is not contiguous", cupy().asarray(random(20, 10)).T, cupy().asarray(random(20, 10)))


@check("error: tensors that are no arrays")
def _() -> None:
    a, b = (torch().tensor(x) for x in (random(10, 20), random(20, 10)))
    refused("cannot be used as an array", a.requires_grad_(), b)
    refused("cannot be used as an array", a.detach().to(torch().bfloat16), b)


@check("error: overlap")
def _() -> None:
    a = random(10, 10)
    refused("overlap in memory", a, a)
    x = on_gpu(random(300))[0]
    refused("overlap in memory", x[:200].view(10, 20), x[100:].view(20, 10))
    function(ANY)(x[:100].view(10, 10), x[100:200].view(10, 10))


@check("error: precondition")
def _() -> None:
    refused("does not hold", random(31, 32), random(32, 31), key=TILES)
    refused("does not hold", *on_gpu(random(31, 32), random(32, 31)), key=TILES)


@check("error: alignment of vector accesses")
def _() -> None:
    x = on_gpu(random(1001))[0]
    y, z = on_gpu(random(1000), random(1000))
    refused("does not start at a multiple of 16 bytes", x[1:], y, z, key=ADD)
    function(ADD)(x[:1000], y, z)


@check("error: not an array, read-only, too many")
def _() -> None:
    refused("is an array, not list", [1.0], random(1, 1))
    b = random(20, 10)
    b.flags.writeable = False
    refused("read-only", random(10, 20), b)
    refused("but 5 were given", 1, 2, random(1, 1), random(1, 1), 3)


@check("an error leaves the GPU usable")
def _() -> None:
    a, b = random(50, 20), poison(20, 50)
    refused("has size", random(10, 20), random(21, 10))
    function(ANY)(a, b)
    same(b, a.T)


# Sizes ----------------------------------------------------------------------------------------------------------------------


def reference(family: str, a: list[Any]) -> Any:
    x = [v.astype(np.float64) for v in a]
    match family:
        case "vector_add":
            return x[0] + x[1]
        case "transpose":
            return x[0].T
        case "reduce":
            return x[0].sum(keepdims=True)
        case "scan":
            return x[0].cumsum()
        case _:
            out = x[0].copy()
            near = x[0][:-2, 1:-1] + x[0][2:, 1:-1] + x[0][1:-1, :-2] + x[0][1:-1, 2:]
            out[1:-1, 1:-1] = 0.5 * x[0][1:-1, 1:-1] + 0.125 * near
            return out


VECTORS = (0, 1, 31, 33, 1021, 4096, 1000003)
MATRICES = (
    (0, 0),
    (0, 5),
    (5, 0),
    (1, 1),
    (1, 31),
    (31, 33),
    (33, 1),
    (127, 131),
    (1021, 1031),
    (1, 1000003),
    (64, 2048),
)


@check("awkward sizes: every program that takes any, or says why not")
def _() -> str:
    manifest = json.loads((BUILD / "manifest.json").read_text(encoding="utf-8"))
    right = declined = 0
    for key in keys("vector_add", "reduce", "scan", "transpose", "stencil2d"):
        family = manifest[key]["family"]
        for size in [(n,) for n in VECTORS] if family in ("vector_add", "reduce", "scan") else MATRICES:
            a = [random(*size) for _ in range(2 if family == "vector_add" else 1)]
            out = poison(*(size[::-1] if family == "transpose" else (1,) if family == "reduce" else size))
            try:
                function(key)(*a, out)
            except CallError as e:
                assert "does not hold" in str(e) or "has size" in str(e), f"{key} {size}: {e}"
                declined += 1
                continue
            want = reference(family, a)
            scale = 1.0 + (float(np.abs(a[0]).sum()) if family in ("reduce", "scan") else 1.0)
            assert out.size == 0 or float(np.abs(out - want).max()) <= 1e-5 * scale, f"{key} {size}: wrong"
            right += 1
    assert right
    return f"{right} right, {declined} refused by the contract"


@check("more than 65535 blocks in y")
def _() -> None:
    for compiler in ("nvcc", "nvrtc"):
        t = torch()
        x = t.randn((32 * 70000 + 5, 33), device="cuda")
        y = t.full((33, 32 * 70000 + 5), float("nan"), device="cuda")
        function(ANY, compiler)(x, y)
        assert bool((y == x.T).all()), compiler


@check("large: more than 2^31 elements")
def _() -> None:
    t, n = torch(), 46400
    x = t.rand((n, n), device="cuda")
    for compiler in ("nvcc", "nvrtc"):
        y = t.full((n, n), float("nan"), device="cuda")
        function(ANY, compiler)(x, y)
        assert all(bool((y[i : i + 1000] == x[:, i : i + 1000].T).all()) for i in range(0, n, 1000)), compiler
        del y
    t.cuda.empty_cache()


# The cache and the command --------------------------------------------------------------------------------------------------


@check("the second build comes from the cache")
def _() -> str:
    before = os.environ.get("OPTIGPU_CACHE")
    said = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["OPTIGPU_CACHE"] = folder
        try:
            for compiler in ("nvcc", "nvrtc"):
                seconds, files = [], []
                for _ in range(2):
                    start = time.perf_counter()
                    load(BUILD, ADD).function(standin=False, compiler=compiler)
                    seconds.append(time.perf_counter() - start)
                    files.append({p: p.stat().st_ino for p in Path(folder).iterdir()})
                assert files[0] and files[0] == files[1], "something was compiled again"
                said.append(f"{compiler} {seconds[0]:.2f} s, then {seconds[1]:.3f} s")
        finally:
            del os.environ["OPTIGPU_CACHE"]
            if before is not None:
                os.environ["OPTIGPU_CACHE"] = before
    return "; ".join(said)


def command(*args: str) -> subprocess.CompletedProcess[str]:
    blocked = "import sys; sys.modules.update(dict.fromkeys(('lark', 'greenlet', 'z3', 'cvc5')))"
    code = f"{blocked}; from optigpu.cli import main; sys.exit(main(sys.argv[1:]))"
    path = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True, check=False, env=path)


def benched(key: str, *options: str) -> dict[str, Any]:
    result = command("bench", str(BUILD / f"{key}.cu"), "--json", *options)
    assert result.returncode == 0, result.stderr[-2000:]
    out: dict[str, Any] = json.loads(result.stdout)
    assert 0.1 < out["share_of_copy"] < 1.3 or out["flops"], out
    return out


@check("optigpu bench: sizes that are given, and libraries")
def _() -> str:
    m = benched(ANY, "--size", "W=8192", "--size", "H=8192", "--compare")
    assert m["sizes"] == {"W": 8192, "H": 8192} and m["bytes"] == 8 * 8192**2
    assert "torch transpose" in m["libraries"], m["libraries"]
    beside = ", ".join(f"{v['ratio']:.2f} × {n}" for n, v in m["libraries"].items())
    return f"{m['rate']:.0f} GB/s, {m['share_of_copy']:.2f} of copy, {beside}"


@check("optigpu bench: sizes that are chosen")
def _() -> str:
    m = benched(ADD, "--compare")
    assert m["sizes"] == {"n": 2**28} and "torch add" in m["libraries"], m
    return f"{m['rate']:.0f} GB/s, {m['share_of_copy']:.2f} of copy"


@check("optigpu bench: NVRTC, and TFLOP/s")
def _() -> str:
    key = keys("matmul")[-1]
    sizes = [o for n in "mnp" for o in ("--size", f"{n}=2048")]
    m = benched(key, *sizes, "--flops", "2*m*n*p", "--compiler", "nvrtc", "--compare")
    assert m["unit"] == "TFLOP/s" and 0.1 < m["rate"] < 1000, m
    assert "cuBLAS (torch mm)" in m["libraries"], m["libraries"]
    return f"{key}: {m['rate']:.1f} TFLOP/s"


@check("optigpu bench: bad arguments")
def _() -> None:
    for options, words in (
        (["--size", "q=1"], "has no size `q`"),
        (["--size", "W"], "write NAME=NUMBER"),
        (["--repeats", "0"], "at least one run"),
    ):
        result = command("bench", str(BUILD / f"{ANY}.cu"), *options)
        assert result.returncode == 2 and words in result.stderr, result.stderr
    result = command("check", "x.c")
    assert result.returncode == 2 and "is not installed" in result.stderr, result.stderr


@check("k.bench, by the driver alone")
def _() -> str:
    m = function(ANY).bench({"W": 4096, "H": 4096}, repeats=5)
    return f"{m.rate():.0f} GB/s; a copy: {copy_bandwidth() / 1e9:.0f} GB/s"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--small", action="store_true")
    options.add_argument("words", nargs="*", metavar="WORD")
    chosen = options.parse_args()
    absent = [k for k in (ANY, ADD, TILES) if k not in keys()]
    if absent:
        print(f"FAIL build/gpu lacks {', '.join(absent)}: run benchmarks/gpu/generate.py")
        return 1
    failed = ran = 0
    for name, run in CHECKS.items():
        if (chosen.words and not any(w in name for w in chosen.words)) or (chosen.small and name.startswith("large")):
            continue
        ran += 1
        start = time.perf_counter()
        try:
            said = run() or ""
            print(f"PASS {name} ({time.perf_counter() - start:.1f} s){': ' if said else ''}{said}", flush=True)
        except Exception as e:
            failed += 1
            print(f"FAIL {name}: {type(e).__name__}: {e}", flush=True)
            where = traceback.extract_tb(e.__traceback__)
            print("".join(f"     {f.filename}:{f.lineno}: {f.line}\n" for f in where[-3:]), end="", flush=True)
    print(f"{ran - failed} of {ran} checks passed")
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
