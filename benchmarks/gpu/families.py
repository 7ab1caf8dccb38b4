"""What each family of kernels computes: inputs, float64 references, sizes, library counterparts, what to count."""

from __future__ import annotations

import ctypes
import ctypes.util
import glob
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from optigpu.runtime.nvcc import compile_cuda

Tensor = Any
Call = Callable[[], Any]


@dataclass(frozen=True)
class Family:
    """`sizes`: awkward ones to validate at; `large`: where to time; `work(size)`: bytes moved, or operations if `flops`."""

    name: str
    sizes: tuple[tuple[int, ...], ...]
    large: tuple[tuple[int, ...], ...]
    inputs: Callable[..., list[Tensor]]
    outputs: Callable[..., list[Tensor]]
    reference: Callable[..., list[Tensor]]
    work: Callable[..., float]
    scale: Callable[..., float]  # what errors are relative to
    tolerance: float
    libraries: Callable[[list[Tensor], list[Tensor]], dict[str, Call]]
    flops: bool = False


def rand(*shape: int) -> Tensor:
    return torch.randn(shape, device="cuda", dtype=torch.float32)


def poison(*shape: int) -> Tensor:
    return torch.full(shape, float("nan"), device="cuda", dtype=torch.float32)


def copy_of(inputs: list[Tensor], outputs: list[Tensor]) -> dict[str, Call]:
    source = inputs[0].reshape(-1)
    target = torch.empty_like(source)
    return {"device copy": lambda: target.copy_(source)}


# Libraries ------------------------------------------------------------------------------------------------------------------

_keep: list[Any] = []


def cub() -> Any:
    if not _keep:
        text = (Path(__file__).parent / "reference.cu").read_text(encoding="utf-8")
        _keep.append(ctypes.CDLL(str(compile_cuda(text))))
    return _keep[0]


def cub_call(name: str, a: Tensor, out: Tensor) -> Call:
    f = getattr(cub(), name)
    f.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_int, ctypes.c_void_p]
    size = ctypes.c_size_t(0)
    f(None, ctypes.byref(size), a.data_ptr(), out.data_ptr(), a.numel(), None)
    scratch = torch.empty(max(1, size.value), dtype=torch.uint8, device="cuda")
    stream = torch.cuda.current_stream().cuda_stream

    def call() -> None:
        status = f(scratch.data_ptr(), ctypes.byref(size), a.data_ptr(), out.data_ptr(), a.numel(), stream)
        assert status == 0, f"CUB failed with {status}"

    return call


def cublas() -> Any:
    places = [os.path.join(os.path.dirname(torch.__file__), "lib")]
    places += glob.glob(os.path.join(os.path.dirname(os.path.dirname(torch.__file__)), "nvidia", "*", "lib"))
    places += ["/usr/local/cuda/lib64", ""]
    for version in ("13", "12"):
        for place in places:
            try:
                return ctypes.CDLL(os.path.join(place, f"libcublas.so.{version}"))
            except OSError:
                continue
    return None


def geam(a: Tensor, b: Tensor) -> dict[str, Call]:
    """cuBLAS: b = aᵀ. In its column-major view, a is W × H with leading dimension W."""
    library = cublas()
    if library is None:
        return {}
    handle = ctypes.c_void_p()
    library.cublasCreate_v2(ctypes.byref(handle))
    library.cublasSetStream_v2(handle, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
    h, w = a.shape
    one, zero = ctypes.c_float(1), ctypes.c_float(0)
    v = ctypes.c_void_p

    def call() -> None:
        status = library.cublasSgeam(
            handle, 1, 0, h, w, ctypes.byref(one), v(a.data_ptr()), w, ctypes.byref(zero), v(b.data_ptr()), h, v(b.data_ptr()), h
        )  # fmt: skip
        assert status == 0, f"cublasSgeam failed with {status}"

    return {"cuBLAS geam": call}


# Families -------------------------------------------------------------------------------------------------------------------


def stencil(a: Tensor) -> Tensor:
    x = a.double()
    out = x.clone()
    if min(x.shape) > 2:
        near = x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]
        out[1:-1, 1:-1] = 0.5 * x[1:-1, 1:-1] + 0.125 * near
    return out


def mm(a: Tensor, b: Tensor, c: Tensor) -> dict[str, Call]:
    torch.backends.cuda.matmul.allow_tf32 = False
    return {"cuBLAS sgemm": lambda: torch.mm(a, b, out=c)}


ROWS = ((16384, 16384), (262144, 1000), (65536, 4096), (65536, 4095), (49152, 5000), (8192, 40000))
SHAPES = ((1, 1), (31, 33), (1, 1000), (1021, 1031), (2048, 64))
FAMILIES: dict[str, Family] = {
    f.name: f
    for f in (
        Family(
            "vector_add", ((0,), (1,), (31,), (33,), (1000003,)), ((2**28,),),
            lambda n: [rand(n), rand(n)], lambda n: [poison(n)], lambda a, b: [a.double() + b.double()],
            lambda n: 12.0 * n, lambda a, b: 1.0, 1e-6, copy_of,
        ),
        Family(
            "transpose", (*SHAPES, (64, 65), (129, 72)), ((16384, 16384), (16383, 16385), (4095, 4097), (4096, 4096)),
            lambda h, w: [rand(h, w)], lambda h, w: [poison(w, h)], lambda a: [a.double().T],
            lambda h, w: 8.0 * h * w, lambda a: 1.0, 0.0,
            lambda i, o: {**copy_of(i, o), **geam(i[0], torch.empty_like(o[0]))},
        ),
        Family(
            "reduce", ((0,), (1,), (31,), (33,), (1000003,)), ((2**28,),),
            lambda n: [rand(n)], lambda n: [poison(1)], lambda a: [a.double().sum().reshape(1)],
            lambda n: 4.0 * n, lambda a: float(a.double().abs().sum()) + 1e-30, 1e-6,
            lambda i, o: {"CUB DeviceReduce": cub_call("cub_reduce", i[0], torch.empty_like(o[0]))},
        ),
        Family(
            "scan", ((0,), (4,), (32,), (1000000,), (4096 * 600 + 8,)), ((2**28,), (2**24 + 4,), (2**28 - 3,)),
            lambda n: [rand(n)], lambda n: [poison(n)], lambda a: [a.double().cumsum(0)],
            lambda n: 8.0 * n, lambda a: float(a.double().cumsum(0).abs().max()) + 1.0 if a.numel() else 1.0, 1e-3,
            lambda i, o: {"CUB DeviceScan": cub_call("cub_scan", i[0], torch.empty_like(o[0]))},
        ),
        Family(
            "softmax", ((0, 16384), (1, 16384), (3, 16384), (5, 1), (7, 1023), (7, 1025), (5, 8193), (3, 16388)), ROWS,
            lambda h, w: [rand(h, w)], lambda h, w: [poison(h, w)], lambda a: [torch.softmax(a.double(), 1)],
            lambda h, w: 8.0 * h * w, lambda a: 1e-2, 1e-5,
            lambda i, o: {**copy_of(i, o), "torch softmax": lambda: torch.softmax(i[0], 1)},
        ),
        Family(
            "layer_norm", ((0, 16384), (1, 16384), (5, 1), (7, 1023), (7, 1025), (5, 8193), (3, 16388)), ROWS,
            lambda h, w: [rand(h, w), rand(w), rand(w)], lambda h, w: [poison(h, w)],
            lambda x, g, b: [torch.nn.functional.layer_norm(x.double(), x.shape[1:], g.double(), b.double())],
            lambda h, w: 8.0 * h * w, lambda x, g, b: 1.0 + float(g.abs().max()), 1e-4,
            lambda i, o: {
                **copy_of(i, o), "torch layer_norm": lambda: torch.nn.functional.layer_norm(i[0], i[0].shape[1:], i[1], i[2])
            },
        ),
        Family(
            "rms_norm", ((0, 16384), (1, 16384), (5, 1), (7, 1023), (7, 1025), (5, 8193), (3, 16388)), ROWS,
            lambda h, w: [rand(h, w), rand(w)], lambda h, w: [poison(h, w)],
            lambda x, g: [torch.nn.functional.rms_norm(x.double(), x.shape[1:], g.double(), 1e-5)],
            lambda h, w: 8.0 * h * w, lambda x, g: 1.0 + float(g.abs().max()), 1e-4,
            lambda i, o: {
                **copy_of(i, o), "torch rms_norm": lambda: torch.nn.functional.rms_norm(i[0], i[0].shape[1:], i[1], 1e-5)
            },
        ),
        Family(
            "stencil2d", ((1, 1), (2, 3), (31, 33), (1021, 1031)), ((16384, 16384), (16383, 16385), (4097, 4099)),
            lambda h, w: [rand(h, w)], lambda h, w: [poison(h, w)], lambda a: [stencil(a)],
            lambda h, w: 8.0 * h * w, lambda a: 1.0, 1e-5, copy_of,
        ),
        Family(
            "matmul", ((1, 1, 1), (65, 63, 17), (128, 128, 16), (256, 384, 144), (1537, 1409, 77), (1536, 1536, 32)),
            ((4096, 4096, 4096), (1024, 1024, 1024), (1000, 1000, 1000), (128, 8192, 8192), (4095, 4097, 4099)),
            lambda m, n, p: [rand(m, p), rand(p, n)], lambda m, n, p: [poison(m, n)],
            lambda a, b: [a.double() @ b.double()], lambda m, n, p: 2.0 * m * n * p, lambda a, b: float(a.shape[1]) ** 0.5, 1e-4,
            lambda i, o: mm(i[0], i[1], torch.empty_like(o[0])), True,
        ),
    )
}  # fmt: skip
