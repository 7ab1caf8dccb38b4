"""Library kernels for comparison: calls of PyTorch, CuPy and cuBLAS that compute the same result from the same data.

Functions are not recognised: every candidate with fitting shapes is run, and those with equal results are kept.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

Call = Callable[[], object]
Candidate = tuple[str, Call, Any]  # name, call, result array
LIBRARY_TOLERANCE = 1e-3  # relative; libraries sum in another order


def same_results(inputs: Sequence[Any], outputs: Sequence[Any], scalars: Sequence[float]) -> dict[str, Call]:
    """Library calls, by name, that compute `outputs` from `inputs` (device arrays)."""
    calls: dict[str, Call] = {}
    if len(outputs) != 1 or scalars:
        return calls
    for make in (torch_candidates, cupy_candidates):
        for name, call, result in make(list(inputs), outputs[0]):
            if name not in calls and computes(call, result, outputs[0]):
                calls[name] = call
    return calls


def library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None


def computes(call: Call, result: Any, expected: Any) -> bool:
    """Whether the call succeeds and computes the expected values."""
    try:
        call()
    except Exception:  # the library refuses these shapes
        return False
    if tuple(result.shape) != tuple(expected.shape):
        return False
    torch, cupy = library("torch"), library("cupy")
    if torch is not None and isinstance(result, torch.Tensor):
        want = torch.as_tensor(expected, device=result.device)
        scale = want.abs().max() if want.numel() else 0.0
        return bool(((result - want).abs() <= LIBRARY_TOLERANCE * scale).all())
    want = cupy.asarray(expected)
    scale = cupy.abs(want).max() if want.size else 0.0
    return bool((cupy.abs(result - want) <= LIBRARY_TOLERANCE * scale).all())


def torch_candidates(inputs: list[Any], output: Any) -> Iterator[Candidate]:
    torch = library("torch")
    if torch is None or not torch.cuda.is_available():
        return
    torch.backends.cuda.matmul.allow_tf32 = False
    tensors = [torch.as_tensor(x, device="cuda") for x in inputs]
    calls: dict[str, Callable[[Any], object]] = {}
    match tensors:
        case [a] if a.ndim == 1:
            calls = {
                "torch cumsum": lambda out: torch.cumsum(a, 0, out=out),
                "torch sum": lambda out: torch.sum(a, 0, keepdim=True, out=out),
                "torch copy": lambda out: out.copy_(a),
            }
        case [a] if a.ndim == 2:
            calls = {
                "torch transpose": lambda out: out.copy_(a.T),
                "torch softmax": lambda out: torch.softmax(a, 1, out=out),
                "torch sum": lambda out: torch.sum(a, 1, out=out),
                "torch copy": lambda out: out.copy_(a),
            }
            if (transpose := geam(a)) is not None:
                calls = {"cuBLAS geam": transpose, **calls}
        case [a, b]:
            calls = {
                "cuBLAS (torch mm)": lambda out: torch.mm(a, b, out=out),
                "torch add": lambda out: torch.add(a, b, out=out),
                "torch mul": lambda out: torch.mul(a, b, out=out),
                "torch dot": lambda out: torch.dot(a, b, out=out[0]),
            }
        case _:
            pass
    expected = torch.as_tensor(output, device="cuda")
    for name, call in calls.items():
        out = torch.full_like(expected, float("nan") if expected.is_floating_point() else 0)
        yield name, partial(call, out), out


def cupy_candidates(inputs: list[Any], output: Any) -> Iterator[Candidate]:
    cupy = library("cupy")
    if cupy is None:
        return
    calls: dict[str, Callable[[Any], object]] = {}
    match [cupy.asarray(x) for x in inputs]:
        case [a] if a.ndim == 1:
            calls = {
                "CUB (CuPy cumsum)": lambda out: cupy.cumsum(a, out=out),
                "CUB (CuPy sum)": lambda out: cupy.sum(a, out=out.reshape(())),
            }
        case [a] if a.ndim == 2:
            calls = {
                "CuPy transpose": lambda out: cupy.copyto(out, a.T),
                "CuPy sum": lambda out: cupy.sum(a, 1, out=out),
            }
        case [a, b]:
            calls = {
                "cuBLAS (CuPy matmul)": lambda out: cupy.matmul(a, b, out=out),
                "CuPy add": lambda out: cupy.add(a, b, out=out),
            }
        case _:
            pass
    expected = cupy.asarray(output)
    for name, call in calls.items():
        out = cupy.full_like(expected, cupy.nan if expected.dtype.kind == "f" else 0)
        yield name, partial(call, out), out


def cublas() -> Any:
    """cuBLAS from PyTorch's packages, or from the toolkit."""
    torch = library("torch")
    folders = [Path(), Path("/usr/local/cuda/lib64")]
    if torch is not None:
        packages = Path(torch.__file__).parent
        folders += [packages / "lib", *sorted(packages.parent.glob("nvidia/*/lib"))]
    for version in ("13", "12", "11"):
        for folder in folders:
            try:
                return ctypes.CDLL(str(folder / f"libcublas.so.{version}"))
            except OSError:
                continue
    return None


def geam(a: Any) -> Callable[[Any], object] | None:
    """cuBLAS: out = aᵀ. In its column-major view, a is W × H with leading dimension W."""
    library, handle, v = cublas(), ctypes.c_void_p(), ctypes.c_void_p
    if library is None or str(a.dtype) != "torch.float32" or library.cublasCreate_v2(ctypes.byref(handle)) != 0:
        return None
    h, w = a.shape
    one, zero = ctypes.c_float(1), ctypes.c_float(0)

    def call(out: Any) -> None:
        if tuple(out.shape) != (w, h):
            raise ValueError("not the shape of a transpose")
        source, target = v(a.data_ptr()), v(out.data_ptr())
        status = library.cublasSgeam(
            handle, 1, 0, h, w, ctypes.byref(one), source, w, ctypes.byref(zero), target, h, target, h
        )  # fmt: skip
        if status != 0:
            raise RuntimeError(f"cublasSgeam failed with {status}")

    return call
