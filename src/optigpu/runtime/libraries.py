"""Library kernels to compare with: those of PyTorch, CuPy and cuBLAS that compute the same from the same data.

Nothing says what a function is: every candidate that fits its shapes is run, and those stay whose results are ours.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

Call = Callable[[], object]
Candidate = tuple[str, Call, Any]  # name, the call, the array it writes to
TOLERANCE = 1e-3  # sums of many floats in another order


def same_results(inputs: Sequence[Any], outputs: Sequence[Any], scalars: Sequence[float]) -> dict[str, Call]:
    """Library calls that write what is in `outputs` when given `inputs` (arrays on the GPU), by name."""
    found: dict[str, Call] = {}
    if len(outputs) != 1 or scalars:
        return found
    for make in (torch_candidates, cupy_candidates):
        for name, call, result in make(list(inputs), outputs[0]):
            if name not in found and computes(call, result, outputs[0]):
                found[name] = call
    return found


def library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None


def computes(call: Call, result: Any, wanted: Any) -> bool:
    """Whether the call runs and leaves the wanted values in its result."""
    try:
        call()
    except Exception:  # shapes that a library refuses in its own way
        return False
    if tuple(result.shape) != tuple(wanted.shape):
        return False
    torch, cupy = library("torch"), library("cupy")
    if torch is not None and isinstance(result, torch.Tensor):
        want = torch.as_tensor(wanted, device=result.device)
        scale = want.abs().max() if want.numel() else 0.0
        return bool(((result - want).abs() <= TOLERANCE * scale).all())
    want = cupy.asarray(wanted)
    scale = cupy.abs(want).max() if want.size else 0.0
    return bool((cupy.abs(result - want) <= TOLERANCE * scale).all())


def torch_candidates(inputs: list[Any], output: Any) -> Iterator[Candidate]:
    torch = library("torch")
    if torch is None or not torch.cuda.is_available():
        return
    torch.backends.cuda.matmul.allow_tf32 = False
    given = [torch.as_tensor(x, device="cuda") for x in inputs]
    out = torch.empty_like(torch.as_tensor(output, device="cuda"))
    match [x.ndim for x in given]:
        case [1]:
            (a,) = given
            yield "torch cumsum", lambda: torch.cumsum(a, 0, out=out), out
            yield "torch sum", lambda: torch.sum(a, 0, keepdim=True, out=out), out
            yield "torch copy", lambda: out.copy_(a), out
        case [2]:
            (a,) = given
            yield from geam(a, out)
            yield "torch transpose", lambda: out.copy_(a.T), out
            yield "torch softmax", lambda: torch.softmax(a, 1, out=out), out
            yield "torch sum", lambda: torch.sum(a, 1, out=out), out
            yield "torch copy", lambda: out.copy_(a), out
        case [2, 2]:
            a, b = given
            yield "cuBLAS (torch mm)", lambda: torch.mm(a, b, out=out), out
            yield "torch add", lambda: torch.add(a, b, out=out), out
            yield "torch mul", lambda: torch.mul(a, b, out=out), out
        case [x, y] if x == y:
            a, b = given
            yield "torch add", lambda: torch.add(a, b, out=out), out
            yield "torch mul", lambda: torch.mul(a, b, out=out), out
            yield "torch dot", lambda: torch.dot(a, b, out=out[0]), out
        case _:
            return


def cupy_candidates(inputs: list[Any], output: Any) -> Iterator[Candidate]:
    cupy = library("cupy")
    if cupy is None:
        return
    given = [cupy.asarray(x) for x in inputs]
    out = cupy.empty_like(cupy.asarray(output))
    match [x.ndim for x in given]:
        case [1]:
            (a,) = given
            yield "CUB (CuPy cumsum)", lambda: cupy.cumsum(a, out=out), out
            yield "CUB (CuPy sum)", lambda: cupy.sum(a, out=out.reshape(())), out
        case [2]:
            (a,) = given
            yield "CuPy transpose", lambda: cupy.copyto(out, a.T), out
            yield "CuPy sum", lambda: cupy.sum(a, 1, out=out), out
        case [2, 2]:
            a, b = given
            yield "cuBLAS (CuPy matmul)", lambda: cupy.matmul(a, b, out=out), out
            yield "CuPy add", lambda: cupy.add(a, b, out=out), out
        case [x, y] if x == y:
            a, b = given
            yield "CuPy add", lambda: cupy.add(a, b, out=out), out
        case _:
            return


def cublas() -> Any:
    """The library that PyTorch brought, or the toolkit's."""
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


def geam(a: Any, out: Any) -> Iterator[Candidate]:
    """cuBLAS: out = aᵀ. In its column-major view, a is W × H with leading dimension W."""
    found = cublas()
    if found is None or str(a.dtype) != "torch.float32":
        return
    handle, v = ctypes.c_void_p(), ctypes.c_void_p
    if found.cublasCreate_v2(ctypes.byref(handle)) != 0:
        return
    h, w = a.shape
    one, zero = ctypes.c_float(1), ctypes.c_float(0)
    source, target = v(a.data_ptr()), v(out.data_ptr())

    def call(keep: object = (a, out)) -> None:
        status = found.cublasSgeam(
            handle, 1, 0, h, w, ctypes.byref(one), source, w, ctypes.byref(zero), target, h, target, h
        )  # fmt: skip
        if status != 0:
            raise RuntimeError(f"cublasSgeam failed with {status}")

    yield "cuBLAS geam", call, out
