"""Compiled CUDA functions. NumPy arrays go through the host entry point; device arrays are used in place, on their stream.

There are three ways to run one: the whole file compiled by nvcc; the device code compiled by NVRTC and launched by a plan; the
whole file on the CPU stand-in.
"""

from __future__ import annotations

import ctypes
import re
import sys
import threading
import warnings
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

from optigpu.codegen.launch_plan import Plan
from optigpu.runtime.arrays import ArrayBuffer, current_stream, view_of
from optigpu.runtime.bench import Measurement, bench
from optigpu.runtime.call_error import BuildError, CallError
from optigpu.runtime.cpu import ctype
from optigpu.runtime.driver import driver
from optigpu.runtime.launching import Launcher
from optigpu.runtime.nvcc import compile_cuda, gpu_architecture, gpu_count, nvcc
from optigpu.runtime.nvrtc import compile_nvrtc, nvrtc
from optigpu.runtime.signature import Argument, Arguments, ArrayParam, ScalarParam, Signature
from optigpu.runtime.standin import compile_standin
from optigpu.runtime.unchecked import Unchecked

OWN = "optigpu_"  # prefix of entry points in libraries compiled here


class CudaFunction:
    """A compiled CUDA function.

    NumPy arrays are copied to the GPU and back; PyTorch and CuPy arrays are used in place, on the current stream. Without a GPU the
    same text runs on the CPU stand-in, with one warning; there, calls from several threads are serialised. `alignment`: bytes to
    which device arrays must be aligned. `kernels` and `plan`: device code and launch plan for NVRTC. `compiler`: "nvcc", "nvrtc",
    or None for the first that is installed.
    """

    def __init__(
        self,
        source: str,
        signature: Signature,
        *,
        on_device: bool = False,
        alignment: Mapping[str, int] | None = None,
        kernels: str = "",
        plan: Plan | None = None,
        standin: bool | None = None,
        races: bool = False,
        compiler: str | None = None,
    ) -> None:
        self.source = source
        self.signature = signature
        self._open = Unchecked(signature.name)
        self.alignment = dict(alignment or {})
        self.standin = gpu_architecture() is None if standin is None else standin
        if self.standin and standin is None:
            _warn_about_standin()
        self.compiler = "the CPU stand-in" if self.standin else chosen_compiler(compiler)
        self.path: Path | None = None
        self._host: Callable[..., None]
        self._device: Callable[..., None] | None = None
        if self.compiler == "nvrtc":
            self.use_launcher(kernels, plan)
        else:
            text = with_own_symbols(source, signature.name)
            self.use_library(compile_standin(text, races=races) if self.standin else compile_cuda(text), on_device)

    def use_library(self, path: Path, on_device: bool) -> None:
        """Call the entry points of a compiled library."""
        self.path = path
        library, name = ctypes.CDLL(str(path)), OWN + self.signature.name
        types = [ctypes.c_void_p if isinstance(p, ArrayParam) else ctype(p.type) for p in self.signature.params]
        result = [] if self.signature.result is None else [ctypes.c_void_p]
        host = getattr(library, name)
        host.argtypes, host.restype = [*types, *result], ctypes.c_char_p
        turn = one_at_a_time(path) if self.standin else nullcontext()

        def call(*raw: float) -> None:
            with turn:
                message = host(*raw)  # thread-local in the library
            self.report(message)

        self._host = call
        if on_device:
            device = getattr(library, f"{name}_on_device")
            device.argtypes, device.restype = [*types, ctypes.c_void_p], ctypes.c_char_p
            self._device = lambda *raw, stream, device_: self.report(device(*raw, stream))

    def use_launcher(self, kernels: str, plan: Plan | None) -> None:
        """Compile the device code by NVRTC and launch its kernels by the plan."""
        if plan is None:
            raise BuildError(
                f"{self.signature.name} does more on the host than launch kernels: NVRTC is not enough, nvcc is needed"
            )
        architecture = gpu_architecture()
        if architecture is None:
            raise BuildError("no GPU was found, so NVRTC does not know what to compile for")
        first = compile_nvrtc(kernels, architecture)

        def image(device: int) -> bytes:
            return first if device == 0 else compile_nvrtc(kernels, gpu_architecture(device) or architecture)

        launcher = Launcher(self.signature, plan, image)
        self._host = launcher.on_host
        self._device = lambda *raw, stream, device_: launcher.on_device(*raw, stream=stream, device=device_)

    def __call__(self, /, *args: Argument, **kwargs: Argument) -> Argument:
        bound = self.signature.bind(args, kwargs)
        views = self.views(bound)
        if any(v.device is not None for v in views.values()):
            self.call_on_device(bound, views)
            return None
        self._open.say(self.signature.check(bound))
        raw = [bound[p.name] if isinstance(p, ScalarParam) else views[p.name].pointer for p in self.signature.params]
        if self.signature.result is None:
            self._host(*raw)
            return None
        result = ctype(self.signature.result)()
        self._host(*raw, ctypes.addressof(result))
        return result.value

    def views(self, bound: Arguments) -> dict[str, ArrayBuffer]:
        out: dict[str, ArrayBuffer] = {}
        for p in self.signature.params:
            if isinstance(p, ArrayParam):
                view = view_of(bound[p.name])
                if view is None:
                    raise CallError(
                        f"{self.signature.name}: `{p.name}` is an array, not {type(bound[p.name]).__name__}"
                    )
                if view.kind == "torch" and view.device is None:  # host tensors are used as NumPy arrays
                    bound[p.name] = self.in_host_memory(p, bound[p.name])
                    view = view_of(bound[p.name])
                    assert view is not None
                if p.on_device and view.device is None and not self.standin:
                    raise CallError(f"{self.signature.name}: `{p.name}` is GPU memory: give a PyTorch or CuPy array")
                out[p.name] = view
        return out

    def in_host_memory(self, p: ArrayParam, tensor: Argument) -> Argument:
        """A host tensor as a NumPy array that shares its memory."""
        try:
            return tensor.numpy()
        except (RuntimeError, TypeError) as e:  # it needs a gradient, is sparse, or has a type unknown to NumPy
            raise CallError(f"{self.signature.name}: `{p.name}` cannot be used as an array: {e}") from None

    def prepared(self, *args: Argument, **kwargs: Argument) -> Callable[[], None]:
        """A call on device arrays with all checks done beforehand, for timing. It keeps the arrays alive; do not resize them."""
        bound = self.signature.bind(args, kwargs)
        views = self.views(bound)
        raw = self.device_arguments(bound, views)
        call, device = self._device, gpu_of(views)
        assert call is not None
        gpu = on_gpu(device, views)
        with gpu:
            stream = current_stream(list(views.values()))

        def run(keep: object = bound) -> None:
            with gpu:
                call(*raw, stream=stream, device_=device)

        return run

    def bench(self, sizes: Mapping[str, float] | None = None, **options: Any) -> Measurement:
        """Time the function on random data of these sizes: `k.bench({"n": 1 << 28}, compare=True)`. See `runtime/bench.py`."""
        return bench(self, sizes, **options)

    @property
    def unchecked(self) -> tuple[str, ...]:
        """The preconditions that calls on host arrays do not check; the caller is responsible for them."""
        return self.signature.unchecked()

    @property
    def unchecked_on_device(self) -> tuple[str, ...]:
        """The preconditions that calls on device arrays do not check: also those about contents, which stay on the device."""
        return self.signature.unchecked(on_device=True)

    @property
    def takes_device_arrays(self) -> bool:
        """Whether the function only copies in, launches and copies out, so that it can run on device arrays in place."""
        return self._device is not None

    def call_on_device(self, bound: Arguments, views: dict[str, ArrayBuffer]) -> None:
        raw = self.device_arguments(bound, views)
        assert self._device is not None
        device = gpu_of(views)
        with on_gpu(device, views):
            self._device(*raw, stream=current_stream(list(views.values())), device_=device)

    def device_arguments(self, bound: Arguments, views: dict[str, ArrayBuffer]) -> list[float]:
        name = self.signature.name
        if self.standin:
            raise CallError(f"{name} was built for the CPU stand-in: it takes NumPy arrays")
        if not self.takes_device_arrays:
            raise CallError(f"{name} does more than copy in, launch and copy out: it takes NumPy arrays")
        self._open.say(self.signature.check_views(bound, views))
        devices = {v.device for v in views.values()}
        if devices == {None}:
            raise CallError(f"{name}: these arrays are in host memory: give PyTorch or CuPy arrays")
        if len(devices) > 1:
            raise CallError(
                f"{name}: the arrays are not all on the same device ({', '.join(map(device_name, devices))})"
            )
        for n, size in self.alignment.items():
            if views[n].pointer % size:
                raise CallError(f"{name}: `{n}` does not start at a multiple of {size} bytes (copy it)")
        return [bound[p.name] if isinstance(p, ScalarParam) else views[p.name].pointer for p in self.signature.params]

    def report(self, message: bytes | None) -> None:
        if message is not None:
            raise CallError(message.decode())

    def __repr__(self) -> str:
        where = self.compiler if self.standin else f"the GPU, by {self.compiler}"
        return f"<{self.signature.name}({', '.join(p.name for p in self.signature.params)}) on {where}>"


@cache
def _warn_about_standin() -> None:
    """Warn once in a process."""
    warnings.warn("no GPU was found: CUDA code runs on the CPU stand-in", stacklevel=3)


@cache
def one_at_a_time(path: Path) -> AbstractContextManager[object]:
    """The lock of a stand-in library: it runs GPU threads as fibers of the caller, and its state is that of one GPU."""
    return threading.Lock()


def with_own_symbols(source: str, name: str) -> str:
    """The text with prefixed entry points. The CUDA runtime is linked into the same library: it would call a program's function
    named `write` instead of the system's."""
    return re.sub(rf'^extern "C" const char\* (?={name}(_on_device)?\()', rf"\g<0>{OWN}", source, flags=re.MULTILINE)


def chosen_compiler(wanted: str | None) -> str:
    """The requested compiler, else nvcc, else NVRTC."""
    if wanted not in (None, "nvcc", "nvrtc"):
        raise BuildError(f"there is no compiler `{wanted}` (there is: nvcc, nvrtc)")
    if wanted is not None:
        return wanted
    if nvcc() is not None:
        return "nvcc"
    if nvrtc() is not None:
        return "nvrtc"
    raise BuildError(
        "neither nvcc nor NVRTC was found: install the CUDA toolkit or PyTorch, or set CUDA_HOME, NVCC or NVRTC"
    )


def gpu_of(views: Mapping[str, ArrayBuffer]) -> int:
    return next((v.device for v in views.values() if v.device is not None), 0)


def device_name(device: int | None) -> str:
    return "host" if device is None else f"GPU {device}"


class on_gpu:
    """Makes the GPU of the arrays the current one."""

    def __init__(self, device: int | None, views: Mapping[str, ArrayBuffer]) -> None:
        kinds = {v.kind for v in views.values()}
        torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
        self.make: Callable[[], AbstractContextManager[object]] = nullcontext
        self.inner: list[AbstractContextManager[object]] = []
        if "torch" in kinds and torch is not None:
            self.make = lambda: torch.cuda.device(device)
        elif "cupy" in kinds and cupy is not None:
            self.make = lambda: cupy.cuda.Device(device)
        elif device is not None and device < gpu_count():
            self.make = driver(device).current

    def __enter__(self) -> None:
        inner = self.make()
        inner.__enter__()
        self.inner.append(inner)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.inner.pop().__exit__(kind, error, trace)
