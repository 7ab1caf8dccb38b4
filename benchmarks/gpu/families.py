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
from torch.nn.attention import SDPBackend, sdpa_kernel

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


def rand(*shape: int, dtype: Any = torch.float32) -> Tensor:
    return torch.randn(shape, device="cuda", dtype=torch.float32).to(dtype)


def poison(*shape: int, dtype: Any = torch.float32) -> Tensor:
    return torch.full(shape, float("nan"), device="cuda", dtype=dtype)


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


def mm_of(name: str, *, tf32: bool = False) -> Callable[[list[Tensor], list[Tensor]], dict[str, Call]]:
    """cuBLAS for matrices of a type."""

    def libraries(i: list[Tensor], o: list[Tensor]) -> dict[str, Call]:
        torch.backends.cuda.matmul.allow_tf32 = tf32
        out = torch.empty_like(o[0])
        return {name: lambda: torch.matmul(i[0].transpose(-1, -2) if i[0].dim() == 3 else i[0], i[1], out=out)}

    return libraries


def root(n: int) -> float:
    """How large sums of n products of random numbers are."""
    return max(1.0, float(n) ** 0.5)


def linear(i: list[Tensor], o: list[Tensor]) -> dict[str, Call]:
    """cuBLASLt, with the bias and the activation in the same kernel."""
    x, weights, bias = i
    return {"cuBLASLt linear": lambda: torch._addmm_activation(bias, x, weights.T)}


def sdpa(*, causal: bool) -> Callable[[list[Tensor], list[Tensor]], dict[str, Call]]:
    """PyTorch's fused attention: by each of its kernels that takes the arrays."""

    def libraries(i: list[Tensor], o: list[Tensor]) -> dict[str, Call]:
        q, k, v = (x[None] for x in i)

        def by(backend: Any) -> Call:
            def call() -> None:
                with sdpa_kernel(backend):
                    torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)

            return call

        backends = (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION, SDPBackend.EFFICIENT_ATTENTION)
        return {f"torch {b.name.lower()}": by(b) for b in backends if _works(by(b))}

    return libraries


def _works(call: Call) -> bool:
    try:
        call()
    except RuntimeError:
        return False
    return True


def attend(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    """Attention in double precision, head by head."""
    out = torch.empty(q.shape, device="cuda", dtype=torch.float64)
    for h in range(q.shape[0]):
        scores = q[h].double() @ k[h].double().T / q.shape[2] ** 0.5
        if causal:
            scores.masked_fill_(torch.ones_like(scores, dtype=torch.bool).triu(1), float("-inf"))
        out[h] = torch.softmax(scores, 1) @ v[h].double()
    return out


def attention_family(name: str, width: int, dtype: Any, tolerance: float, *, causal: bool) -> Family:
    def shaped(make: Callable[..., Tensor], heads: int, n: int) -> Tensor:
        return make(heads, n, width, dtype=dtype)

    return Family(
        name, ((1, 1), (2, 100), (3, 257), (2, 1000)), ((16, 8192), (16, 2048), (64, 1024)),
        lambda heads, n: [shaped(rand, heads, n) for _ in range(3)], lambda heads, n: [shaped(poison, heads, n)],
        lambda q, k, v: [attend(q, k, v, causal)], lambda heads, n: 4.0 * heads * n * n * width / (2 if causal else 1),
        lambda q, k, v: 1.0, tolerance, sdpa(causal=causal), True,
    )  # fmt: skip


ROWS = ((16384, 16384), (262144, 1000), (65536, 4096), (65536, 4095), (49152, 5000), (8192, 40000))
SHAPES = ((1, 1), (31, 33), (1, 1000), (1021, 1031), (2048, 64))
AWKWARD = ((1, 1, 1), (65, 63, 17), (128, 256, 64), (300, 520, 136), (1537, 1409, 77), (64, 72, 0))
PRODUCTS = ((4096, 4096, 4096), (1024, 1024, 1024), (1000, 1000, 1000), (128, 8192, 8192), (4095, 4097, 4099))
BF16, F16 = torch.bfloat16, torch.float16
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
            "scan", ((0,), (4,), (32,), (1000000,), (4096 * 600 + 8,), (4096 * 4096 + 1,)),
            ((2**28,), (2**24,), (2**20,), (2**16,), (2**24 + 4,), (2**28 - 3,)),
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
            lambda a, b: [a.double() @ b.double()], lambda m, n, p: 2.0 * m * n * p, lambda a, b: root(a.shape[1]), 1e-4,
            lambda i, o: mm(i[0], i[1], torch.empty_like(o[0])), True,
        ),
        Family(
            "matmul_tf32", AWKWARD, PRODUCTS,
            lambda m, n, p: [rand(m, p), rand(p, n)], lambda m, n, p: [poison(m, n)],
            lambda a, b: [a.double() @ b.double()], lambda m, n, p: 2.0 * m * n * p, lambda a, b: root(a.shape[1]), 1e-2,
            mm_of("cuBLAS TF32", tf32=True), True,
        ),
        Family(
            "matmul_bf16", AWKWARD, ((8192, 8192, 8192), *PRODUCTS),
            lambda m, n, p: [rand(m, p, dtype=BF16), rand(p, n, dtype=BF16)], lambda m, n, p: [poison(m, n, dtype=BF16)],
            lambda a, b: [a.double() @ b.double()], lambda m, n, p: 2.0 * m * n * p, lambda a, b: root(a.shape[1]), 3e-2,
            mm_of("cuBLAS bf16"), True,
        ),
        Family(
            "linear_bf16", AWKWARD, PRODUCTS[:2],
            lambda m, n, p: [rand(m, p, dtype=BF16), rand(n, p, dtype=BF16), rand(n, dtype=BF16)],
            lambda m, n, p: [poison(m, n, dtype=BF16)], lambda x, w, b: [(x.double() @ w.double().T + b.double()).relu()],
            lambda m, n, p: 2.0 * m * n * p, lambda x, w, b: root(x.shape[1]), 3e-2, linear, True,
        ),
        Family(
            "batched_matmul_f16", ((1, 1, 1, 1), (3, 65, 63, 17), (2, 300, 520, 136)),
            ((32, 1024, 1024, 1024), (8, 4096, 4096, 128)),
            lambda h, m, n, p: [rand(h, p, m, dtype=F16), rand(h, p, n, dtype=F16)],
            lambda h, m, n, p: [poison(h, m, n, dtype=F16)],
            lambda a, b: [a.double().transpose(1, 2) @ b.double()], lambda h, m, n, p: 2.0 * h * m * n * p,
            lambda a, b: root(a.shape[1]), 5e-3, mm_of("cuBLAS f16"), True,
        ),
        attention_family("attention", 64, torch.float32, 1e-5, causal=False),
        attention_family("attention_bf16", 128, BF16, 2e-2, causal=False),
        attention_family("attention_causal_bf16", 128, BF16, 3e-2, causal=True),
    )
}  # fmt: skip
