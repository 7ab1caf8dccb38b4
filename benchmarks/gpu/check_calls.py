"""Calls on a GPU: how long one takes beside torch.add, and a PASS or FAIL line for each thing that calls do.

`generate_calls.py` must have written build/calls/ before.    PYTHONPATH=src python benchmarks/gpu/check_calls.py [WORD…]
Needs NumPy and PyTorch, CuPy for some checks; neither parser nor solver. With words, only the checks whose names contain one of
them.
"""

from __future__ import annotations

import statistics
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src"))
for missing in ("lark", "greenlet", "z3", "cvc5"):  # as if they were not installed, wherever this runs
    sys.modules[missing] = None  # type: ignore[assignment]

import numpy as np  # noqa: E402
import torch  # noqa: E402

from optigpu.runtime.call_error import CallError  # noqa: E402
from optigpu.runtime.cuda import CudaFunction  # noqa: E402
from optigpu.runtime.driver import DeviceArray  # noqa: E402
from optigpu.runtime.manifest import load  # noqa: E402
from optigpu.runtime.nvcc import nvcc  # noqa: E402
from optigpu.runtime.nvrtc import nvrtc  # noqa: E402

BUILD = ROOT / "build" / "calls"
COMPILERS = [name for name, found in (("nvcc", nvcc()), ("nvrtc", nvrtc())) if found is not None]
MOST = 15.0  # microseconds for an ordinary call by nvcc's code
Check = Callable[[], str | None]
CHECKS: dict[str, Check] = {}


def check(name: str) -> Callable[[Check], Check]:
    def add(f: Check) -> Check:
        CHECKS[name] = f
        return f

    return add


@cache
def function(key: str, compiler: str | None = None) -> CudaFunction:
    return load(BUILD, key).function(standin=False, compiler=compiler or COMPILERS[0])


@cache
def operator(key: str) -> Any:
    names = {"dy": "grad_y", "dx": "grad_x"}
    more: dict[str, Any] = {"backward": function("scale_gradient"), "names": names} if key == "scale" else {}
    return function(key).register(f"check_calls::{key}", **more)


def random(*shape: int, **options: Any) -> Any:
    return torch.randn(*shape, device="cuda", **options)


def close(a: Any, b: Any) -> None:
    torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-4)


def refused(words: str, call: Callable[[], object]) -> None:
    try:
        call()
    except CallError as e:
        assert words in str(e), f"said: {e}"
        return
    raise AssertionError(f"accepted, instead of: {words}")


def microseconds(call: Callable[[], object], count: int = 2000) -> float:
    """The median time of a call, of seven rounds, the GPU's work at the end included."""
    rounds = []
    for _ in range(7):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(count):
            call()
        torch.cuda.synchronize()
        rounds.append((time.perf_counter() - start) / count * 1e6)
    return statistics.median(rounds)


def long_call(f: Callable[..., object], *args: Any, **options: Any) -> float:
    return microseconds(lambda: f(*args, **options), 50)


@check("time of a call")
def _() -> str:
    a, b, c = random(1024), random(1024), torch.empty(1024, device="cuda")
    rows = [
        ("torch.add(a, b, out=c)", microseconds(lambda: torch.add(a, b, out=c))),
        ("a + b", microseconds(lambda: a + b)),
    ]
    for compiler in COMPILERS:
        k = function("vector_add_fast", compiler)
        k(a, b, c)
        close(c, a + b)
        k(a, b)
        rows += [
            (f"{compiler}: k(a, b, c)", microseconds(lambda k=k: k(a, b, c))),
            (f"{compiler}: k(n, a, b, c)", microseconds(lambda k=k: k(1024, a, b, c))),
            (f"{compiler}: k(a=a, b=b, c=c)", microseconds(lambda k=k: k(a=a, b=b, c=c))),
            (f"{compiler}: c = k(a, b)", microseconds(lambda k=k: k(a, b))),
            (f"{compiler}: all checks interpreted", microseconds(lambda k=k: k.checked_call((a, b, c), {}), 200)),
            (f"{compiler}: prepared", microseconds(k.prepared(a, b, c))),
            (f"{compiler}: the checks alone", microseconds(lambda k=k: k._usual.passed((a, b, c), {}))),
        ]
    rows.append(("operator: op(a, b)", microseconds(lambda: operator("vector_add_fast")(a, b))))
    for name, us in rows:
        print(f"  {name:32} {us:8.2f} µs")
    ordinary = dict(rows)[f"{COMPILERS[0]}: k(a, b, c)"]
    assert ordinary <= MOST, f"an ordinary call takes {ordinary:.1f} µs, {MOST:.0f} are wanted"
    return f"an ordinary call takes {ordinary:.1f} µs"


@check("CuPy: time of a call")
def _() -> str:
    import cupy

    a, b = cupy.random.rand(1024, dtype=cupy.float32), cupy.random.rand(1024, dtype=cupy.float32)
    c, k = cupy.empty_like(a), function("vector_add_fast")
    k(a, b, c)
    assert bool((c == a + b).all())
    made = k(a, b)
    assert isinstance(made, cupy.ndarray) and bool((made == a + b).all())
    return f"{microseconds(lambda: k(a, b, c)):.1f} µs; cupy.add {microseconds(lambda: cupy.add(a, b, out=c)):.1f} µs"


@check("outputs that are left out")
def _() -> None:
    for compiler in COMPILERS:
        k, a = function("transpose_any", compiler), random(70, 45)
        for _ in range(2):
            out = k(a)
            assert out.device == a.device and out.dtype == torch.float32
            close(out, a.T)
        host = k(a.cpu())
        assert host.device.type == "cpu" and torch.equal(host, a.cpu().T)
        array = k(a.cpu().numpy())
        assert isinstance(array, np.ndarray) and np.array_equal(array, a.cpu().numpy().T)
        mine = k(DeviceArray.of(a.cpu().numpy()))
        assert isinstance(mine, DeviceArray) and np.array_equal(mine.get(), array)


@check("wrong calls after right ones")
def _() -> None:
    k, a, b = function("vector_add_fast"), random(1024), random(1024)
    c, long = torch.empty(1024, device="cuda"), random(1025)
    for _ in range(2):
        k(a, b, c)
        refused("overlap", lambda: k(a, b, a))
        refused("overlap", lambda: k(long[1:], b, long[:-1]))
        refused("in the same place", lambda: k(a, b, c[:1].expand(1024)))
        refused("is not contiguous", lambda: k(AtStride(long), b, c))
        refused("holds float32, not float64", lambda: k(a.double(), b, c))
        refused("has size n = 1024", lambda: k(a, long, c))
        refused("not all on the same device", lambda: k(a, b.cpu(), c))
        refused("opposite", lambda: k(a, torch._neg_view(b), c))
        refused("requires a gradient", lambda: k(a.clone().requires_grad_(), b, c))
    k(a.clone().requires_grad_().detach(), b, c)
    with torch.no_grad():
        k(a.clone().requires_grad_(), b, c)


class AtStride:
    """Every second element of an array that PyTorch owns and that is known by __cuda_array_interface__ alone."""

    def __init__(self, tensor: Any) -> None:
        self.tensor, self.shape = tensor, (1024,)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {**self.tensor.__cuda_array_interface__, "shape": (1024,), "strides": (8,)}


@check("strided and unaligned arrays")
def _() -> str:
    for compiler in COMPILERS:
        k, op, b = function("vector_add_fast", compiler), function("transpose_any", compiler), random(1024)
        whole, out = random(4096), torch.full((4096,), 7.0, device="cuda")
        for a in (whole[1:1025], whole[:2048:2], whole[3::3][:1024], whole[5:6].expand(1024)):
            for _ in range(2):
                close(k(a, b), a + b)
                target = out[1:3073:3]
                before = out._version
                k(a, b, target)
                close(target, a + b)
                assert out._version > before
        kept = torch.ones(4096, dtype=torch.bool)
        kept[1:3073:3] = False
        assert bool((out.cpu()[kept] == 7).all())
        m = random(70, 90)
        close(op(m[:, 3:48]), m[:, 3:48].T)
        close(op(m.T), m)
        side = torch.cuda.Stream()
        torch.cuda.synchronize()
        with torch.cuda.stream(side):
            torch.cuda._sleep(100_000_000)
            late = whole * 2
            k(late[::4], b, target)
        side.synchronize()
        close(target, 2 * whole[::4] + b)
    k, a, c = function("vector_add_fast"), random(2048)[::2], torch.empty(1024, device="cuda")
    one, both_ways = microseconds(lambda: k(a, b, c)), microseconds(lambda: k(a, b, whole[:2048:2]))
    return f"{one:.1f} µs if an input is packed, {both_ways:.1f} µs if the output is, too"


@check("CuPy: strided and unaligned arrays")
def _() -> None:
    import cupy

    k, b = function("vector_add_fast"), cupy.random.rand(1024, dtype=cupy.float32)
    whole, out = cupy.random.rand(4096, dtype=cupy.float32), cupy.full(4096, 7, cupy.float32)
    for a in (whole[1:1025], whole[:2048:2], whole[1024:0:-1], cupy.broadcast_to(whole[:1], (1024,))):
        assert bool((k(a, b) == a + b).all())
        k(a, b, out[1::4])
        assert bool((out[1::4] == a + b).all()) and bool((out[::2] == 7).all())
    refused("overlap", lambda: k(whole[1:1025], b, whole[:1024]))


@check("versions of a function, on device tensors")
def _() -> None:
    for compiler in COMPILERS:
        for n in (4096, 4097, 4, 1, 0):
            x = random(n)
            close(function("scale", compiler)(3.0, x), 3 * x * x)


@check("three kernels with scratch memory, on device tensors")
def _() -> None:
    for compiler in COMPILERS:
        k = function("attention", compiler)
        for _ in range(20):
            q, key, v = random(200, 64) / 8, random(200, 64), random(200, 64)
            close(k(q, key, v), torch.softmax((q @ key.T).double(), 1).float() @ v)
        free = torch.cuda.mem_get_info()[0]
        for _ in range(300):
            k(q, key, v)
        torch.cuda.synchronize()
        assert torch.cuda.mem_get_info()[0] > free - (256 << 20), "scratch memory is not given back"


@check("a number from device tensors")
def _() -> str:
    if "nvcc" not in COMPILERS:
        return "left out: needs nvcc"
    k, a = function("reduce", "nvcc"), random(100_000)
    for _ in range(2):
        assert abs(k(a) - float(a.double().sum())) < 0.5
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        torch.cuda._sleep(100_000_000)
        late = a + 1
        assert abs(k(late) - float(late.double().sum())) < 0.5
    return None


@check("sums and maxima that are returned, of one line of schedule")
def _() -> str:
    times = []
    for n in (1, 1000, 4096, 1_000_003, 1 << 26):
        a = random(n)
        for _ in range(2):
            assert abs(function("sum", "nvcc")(a) - float(a.double().sum())) < 1e-6 * n + 0.01
            assert function("maximum", "nvcc")(a) == float(a.max())
        times.append((long_call(function("sum", "nvcc"), a), long_call(lambda x: float(x.sum()), a)))
    assert function("sum", "nvcc")(torch.zeros(0, device="cuda")) == 0
    return f"2^26 elements: {times[-1][0]:.0f} us, float(torch.sum) {times[-1][1]:.0f}"


@check("rows with elements -INFINITY, of one line of schedule")
def _() -> str:
    k, said = function("log_softmax"), []
    for h, w in ((3, 1), (5, 1000), (5, 1023), (3, 16384), (3, 16385), (2, 20_000), (2, 100_001), (2, 262_144)):
        for masked in (slice(0, 0), slice(0, w // 2), slice(w // 2 + 1, w), slice(1, w, 2), slice(0, w - 1)):
            x = random(h, w)
            x[:, masked] = -torch.inf
            close(k(x), torch.log_softmax(x.double(), 1).float())
    for h, w in ((4096, 4096), (1024, 65_536), (1024, 65_537)):
        x, y = random(h, w), torch.empty(h, w, device="cuda")
        ours, theirs = long_call(k, x, y), long_call(torch.log_softmax, x, 1, out=y)
        said.append(f"{h} x {w}: {ours:.0f} us, torch {theirs:.0f}")
    return "; ".join(said)


@check("rows with several sums and results, of one line of schedule")
def _() -> str:
    k, said = function("norm_backward"), []
    for h, w in (
        (0, 3),
        (3, 1),
        (5, 1000),
        (5, 1023),
        (3, 16384),
        (3, 16385),
        (2, 100_001),
        (4096, 4096),
        (1024, 65_536),
    ):
        x, d = random(h, w), random(h, w)
        y, z, saved = k(x, d)
        a, b = x.double(), d.double()
        squares, dot = (a * a).sum(1, keepdim=True), (a * b).sum(1, keepdim=True)
        for found, wanted in ((y, b * squares - a), (z, a * dot), (saved, squares[:, 0])):
            torch.testing.assert_close(found.double(), wanted, rtol=1e-3, atol=1e-2 * w**0.5)
        if h > 1000:
            ratio = long_call(k, x, d, y, z, saved) / long_call(y.copy_, x)
            said.append(f"{h} x {w}: {ratio:.2f} times as long as a copy, which moves half as much")
    return "; ".join(said)


@check("a side stream")
def _() -> None:
    k, a, b, c = function("vector_add_fast"), random(1 << 20), random(1 << 20), torch.zeros(1 << 20, device="cuda")
    k(a, b, c)
    side = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(100_000_000)
        late = a * 2
        k(late, b, c)
        made = k(late, b)
    side.synchronize()
    close(c, 2 * a + b)
    close(made, c)


@check("operators: PyTorch's own check")
def _() -> None:
    x = random(64)
    torch.library.opcheck(operator("scale"), (2.0, x.clone().requires_grad_()))
    torch.library.opcheck(operator("accumulate"), (random(64), x))
    torch.library.opcheck(operator("transpose_any"), (random(5, 7),))
    torch.library.opcheck(operator("attention"), (random(8, 4), random(8, 4), random(8, 4)))


@check("operators: gradients")
def _() -> None:
    x = random(1000, requires_grad=True)
    w = random(1000)
    (operator("scale")(3.0, x) * w).sum().backward()
    close(x.grad, 6 * x.detach() * w)
    for key in ("transpose_any", "accumulate"):
        args = (
            (random(5, 7, requires_grad=True),)
            if key == "transpose_any"
            else (random(5), random(5, requires_grad=True))
        )
        refused("requires a gradient, and this operator has none", lambda key=key, args=args: operator(key)(*args))


@check("operators: torch.compile")
def _() -> None:
    transpose, scale = operator("transpose_any"), operator("scale")

    def f(x: Any) -> Any:
        return transpose(torch.relu(x)) * 2 + 1

    fast = torch.compile(f, fullgraph=True)
    for shape in ((64, 32), (33, 65), (128, 16)):
        x = random(*shape)
        close(fast(x), f(x))
    model = torch.compile(lambda x: scale(2.0, x.sin()).sum(), fullgraph=True)
    x = random(512, requires_grad=True)
    model(x).backward()
    close(x.grad, 4 * x.detach().sin() * x.detach().cos())


@check("CUDA graphs")
def _() -> None:
    k, op, a, b = function("vector_add_fast"), operator("transpose_any"), random(64, 32), random(64 * 32)
    c = torch.zeros(64 * 32, device="cuda")
    k(a.view(-1), b, c)
    op(a)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        op(a)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        k(a.view(-1), b, c)
        out = op(c.view(64, 32))
    a.copy_(random(64, 32))
    graph.replay()
    torch.cuda.synchronize()
    close(out, (a.view(-1) + b).view(64, 32).T)


@check("autograd notices what a call writes")
def _() -> None:
    kept, x = random(1024), random(1024, requires_grad=True)
    y = x * kept
    for _ in range(2):
        before = kept._version
        function("vector_add_fast")(random(1024), random(1024), kept)
        assert kept._version > before
    try:
        y.sum().backward()
    except RuntimeError as e:
        assert "modified by an inplace operation" in str(e)
        return
    raise AssertionError("backward used what was overwritten")


class OnlyDLPack:
    """An array that PyTorch owns and that is known by DLPack alone."""

    def __init__(self, tensor: Any) -> None:
        self.tensor, self.shape = tensor, tensor.shape

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, number = self.tensor.__dlpack_device__()
        return int(kind), int(number)

    def __dlpack__(self, **options: Any) -> object:
        return self.tensor.__dlpack__(**options)


@check("arrays by DLPack")
def _() -> None:
    k, a, b, c = function("vector_add_fast"), random(1024), random(1024), torch.zeros(1024, device="cuda")
    k(OnlyDLPack(a), OnlyDLPack(b), c)
    close(c, a + b)
    made = k(OnlyDLPack(a), OnlyDLPack(b))
    assert isinstance(made, DeviceArray)
    close(torch.from_dlpack(made), a + b)
    close(torch.as_tensor(made, device="cuda"), a + b)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        torch.cuda._sleep(100_000_000)
        late = a * 2
        made = k(OnlyDLPack(late), OnlyDLPack(b))  # on the default stream, when the other has reached this point
    close(torch.from_dlpack(made), 2 * a + b)
    c.zero_()
    try:
        k(OnlyDLPack(a), OnlyDLPack(b), OnlyDLPack(c))
    except CallError as e:  # PyTorch before 2.9 gives capsules that cannot say whether they may be written
        assert "read-only" in str(e)
    else:
        close(c, a + b)


@check("JAX arrays")
def _() -> str | None:
    try:
        import jax
    except ImportError:
        return "left out: JAX is not here"
    x = jax.numpy.arange(1024, dtype="float32")
    if x.devices() and next(iter(x.devices())).platform != "gpu":
        return "left out: JAX has no GPU"
    made = function("vector_add_fast")(x, x)
    assert np.array_equal(np.asarray(jax.dlpack.from_dlpack(made)), 2 * np.arange(1024, dtype=np.float32))
    return None


@check("unchecked preconditions are said once")
def _() -> str:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for _ in range(3):
            function("attention")(random(8, 4), random(8, 4), random(8, 4))
    said = [w for w in seen if "does not check" in str(w.message)]
    assert len(said) <= 1
    return f"{function('attention').unchecked_on_device}"


def main() -> int:
    words = sys.argv[1:]
    failed = ran = 0
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, {', '.join(COMPILERS)}")
    for name, run in CHECKS.items():
        if words and not any(w in name for w in words):
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
            print("".join(f"     {f.filename}:{f.lineno}: {f.line}\n" for f in where[-4:]), end="", flush=True)
    print(f"{ran - failed} of {ran} checks passed")
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
