"""`half`, `bf16` and `tf32` on a GPU: a PASS or FAIL line for each conversion, kernel and library, by nvcc and by NVRTC.

`generate_calls.py` must have written build/calls/ before.    PYTHONPATH=src:. python benchmarks/gpu/check_stored_floats.py
Needs NumPy and PyTorch; CuPy, JAX and ml_dtypes for some checks.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from benchmarks.gpu.check_calls import BUILD, COMPILERS
from tests.support.stored_floats import PATTERNS, STORED, interesting_floats, rounded, same, widened

from optigpu.runtime.cuda import CudaFunction
from optigpu.runtime.manifest import load

TORCH = {"half": torch.float16, "bf16": torch.bfloat16, "tf32": torch.float32}
LARGE = 1 << 28  # elements, to be timed


def function(key: str, compiler: str) -> CudaFunction:
    return load(BUILD, key).function(standin=False, compiler=compiler)


def numbers(tensor: Any, name: str) -> Any:
    """The numbers that a tensor holds, read from its bits."""
    return (
        tensor.cpu().numpy()
        if name == "tf32"
        else widened(name, tensor.view(torch.int16).cpu().numpy().view(np.uint16))
    )


def patterns(name: str) -> Any:
    return torch.from_numpy(PATTERNS.view(np.int16).copy()).cuda().view(TORCH[name])


def widens(name: str, compiler: str) -> None:
    assert same(function(f"widen_{name}", compiler)(patterns(name)).cpu().numpy(), widened(name, PATTERNS))


def narrows(name: str, compiler: str) -> None:
    floats = interesting_floats(name, count=400_000)
    out = function(f"narrow_{name}", compiler)(torch.from_numpy(floats).cuda())
    assert out.dtype is TORCH[name] and same(numbers(out, name), rounded(name, floats))


def adds(name: str, compiler: str) -> None:
    a, b = (torch.randn(5003, device="cuda").to(TORCH[name]) for _ in range(2))
    s = float(torch.tensor(0.3).to(TORCH[name]))
    out = function(f"scaled_sum_{name}", compiler)(0.3, a, b)
    exact = (
        numbers(a, name) * rounded("tf32", np.float32([0.3]))[0] if name == "tf32" else numbers(a, name) * s
    ).astype("f8")
    assert np.allclose(numbers(out, name), exact + numbers(b, name), rtol=2.0**-7, atol=1e-3)


def normalises(name: str, compiler: str) -> None:
    softmax = function(f"softmax_{name}", compiler)
    for shape in ((64, 1000), (16, 5000), (4, 40000), (7, 33)):
        x = torch.randn(shape, device="cuda").to(TORCH[name])
        want = torch.softmax(x.double(), 1)
        error = float(((softmax(x).double() - want).abs() / want).max())
        assert error < {"half": 2e-2, "bf16": 4.2e-3, "tf32": 6e-4}[name], (
            shape,
            error,
        )  # small results of half are subnormal


def takes_numpy(name: str, compiler: str) -> None:
    dtype = np.float16 if name == "half" else importlib.import_module("ml_dtypes").bfloat16
    a = (np.arange(5003) / 64).astype(dtype)
    out = function(f"scaled_sum_{name}", compiler)(1.0, a, a)
    assert out.dtype == dtype and np.array_equal(out, (a.astype("f4") * 2).astype(dtype))


def takes_cupy(name: str, compiler: str) -> None:
    cupy = importlib.import_module("cupy")
    dtype = np.float16 if name == "half" else importlib.import_module("ml_dtypes").bfloat16
    a = cupy.asarray((np.arange(5003) / 64).astype(dtype))
    f = function(f"scaled_sum_{name}", compiler)
    for _ in range(3):
        out = f(1.0, a, a)
        assert out.dtype == dtype and np.array_equal(out.get(), (a.get().astype("f4") * 2).astype(dtype))


def takes_jax(name: str, compiler: str) -> None:
    jnp = importlib.import_module("jax.numpy")
    a = (jnp.arange(5003) / 64).astype(jnp.float16 if name == "half" else jnp.bfloat16)
    out = torch.as_tensor(function(f"scaled_sum_{name}", compiler)(1.0, a, a), device="cuda")
    assert out.dtype is TORCH[name] and np.array_equal(out.float().cpu().numpy(), np.asarray(a, "f4") * 2)


def is_an_operator(name: str, compiler: str) -> None:
    op = function(f"scaled_sum_{name}", compiler).register(f"check_stored_floats::add_{name}_{compiler}")
    x = torch.randn(1000, device="cuda").to(TORCH[name])
    out = torch.compile(lambda v: op(1.0, v, v) + 1)(x)
    assert out.dtype is TORCH[name] and torch.equal(op(1.0, x, x), x + x)


def milliseconds(call: Callable[[], object]) -> float:
    for _ in range(5):
        call()
    times = []
    for _ in range(20):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return sorted(times)[len(times) // 2]


def is_as_fast_as_torch(name: str, compiler: str) -> str:
    a, b = (torch.randn(LARGE, device="cuda").to(TORCH[name]) for _ in range(2))
    c = torch.empty_like(a)
    ours = milliseconds(function(f"scaled_sum_{name}", compiler).prepared(n=LARGE, s=1.0, a=a, b=b, c=c))
    theirs = milliseconds(lambda: torch.add(a, b, out=c))
    moved = 3 * a.element_size() * LARGE / 1e6
    assert ours < 1.1 * theirs, (ours, theirs)
    return f" {moved / ours:,.0f} GB/s, torch.add {moved / theirs:,.0f}"


CHECKS: dict[Callable[[str, str], str | None], tuple[str, ...]] = {
    widens: ("half", "bf16"), narrows: STORED, adds: STORED, normalises: STORED, takes_numpy: ("half", "bf16"),
    takes_cupy: ("half", "bf16"), takes_jax: ("half", "bf16"), is_an_operator: ("half", "bf16"), is_as_fast_as_torch: STORED,
}  # fmt: skip


def main() -> int:
    failures = 0
    for check, names in CHECKS.items():
        for name in names:
            for compiler in COMPILERS:
                what = f"{name} {check.__name__.replace('_', ' ')}, {compiler}"
                try:
                    print(f"PASS  {what}{partial(check, name, compiler)() or ''}", flush=True)
                except ImportError as e:
                    print(f"SKIP  {what}: {e}", flush=True)
                except Exception as e:
                    failures += 1
                    print(f"FAIL  {what}: {type(e).__name__}: {str(e)[:300]}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
