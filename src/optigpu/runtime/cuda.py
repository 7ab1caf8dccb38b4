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
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from optigpu.codegen.launch_plan import Plan
from optigpu.runtime.arrays import ArrayBuffer, current_stream, in_host_memory, is_by_dlpack, view_of
from optigpu.runtime.bench import Measurement, bench
from optigpu.runtime.call_error import BuildError, CallError
from optigpu.runtime.compiled_checks import MISSED
from optigpu.runtime.cpu import argument_type, ctype, number
from optigpu.runtime.driver import driver
from optigpu.runtime.launching import Launcher
from optigpu.runtime.nvcc import compile_cuda, gpu_architecture, gpu_count, nvcc
from optigpu.runtime.nvrtc import compile_nvrtc, nvrtc
from optigpu.runtime.outputs import one_or_all, with_outputs
from optigpu.runtime.packed_arrays import packed_call
from optigpu.runtime.signature import Argument, Arguments, ArrayParam, ScalarParam, Signature
from optigpu.runtime.standin import compile_standin
from optigpu.runtime.torch_operators import RegisteredFunction, registered
from optigpu.runtime.torch_tensors import note_written, require_no_gradient
from optigpu.runtime.unchecked import Unchecked
from optigpu.runtime.usual_calls import UsualCalls

OWN = "optigpu_"  # prefix of entry points in libraries compiled here


class CudaFunction:
    """A compiled CUDA function.

    NumPy arrays are copied to the GPU and back; PyTorch and CuPy arrays are used in place, on the current stream. Without a GPU the
    same text runs on the CPU stand-in, with one warning; there, calls from several threads are serialised. `alignment`: bytes to
    which device arrays must be aligned. `kernels` and `plan`: device code and launch plan for NVRTC. `compiler`: "nvcc", "nvrtc",
    or None for the first that is installed. `host_work`: why it takes no device arrays, if it takes none.
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
        host_work: str = "",
    ) -> None:
        self.source = source
        self.host_work = host_work
        self.signature = signature
        self._open = Unchecked(signature.name)
        self._usual = UsualCalls(signature, alignment or {}, ("torch", "cupy"))
        self.alignment = dict(alignment or {})
        self.standin = gpu_architecture() is None if standin is None else standin
        if self.standin and standin is None:
            _warn_about_standin()
        self.compiler = "the CPU stand-in" if self.standin else chosen_compiler(compiler)
        self.path: Path | None = None
        self._host: Callable[..., None]
        self._device: Callable[..., None] | None = None
        if self.compiler == "nvrtc":
            self.use_launcher(kernels, plan, on_device)
        else:
            text = with_own_symbols(source, signature.name)
            self.use_library(compile_standin(text, races=races) if self.standin else compile_cuda(text), on_device)

    def use_library(self, path: Path, on_device: bool) -> None:
        """Call the entry points of a compiled library."""
        self.path = path
        library, name = ctypes.CDLL(str(path)), OWN + self.signature.name
        types = [ctypes.c_void_p if isinstance(p, ArrayParam) else argument_type(p.type) for p in self.signature.params]
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
            device.argtypes, device.restype = [*types, *result, ctypes.c_void_p], ctypes.c_char_p

            def call_with_stream(*raw: float, stream: int, device_: int) -> None:
                if (message := device(*raw, stream)) is not None:
                    self.report(message)

            self._device = call_with_stream
            if self.signature.result is None:
                self._usual.entry = device

    def use_launcher(self, kernels: str, plan: Plan | None, on_device: bool) -> None:
        """Compile the device code by NVRTC and launch its kernels by the plan."""
        unsized = [p.name for p in self.signature.params if isinstance(p, ArrayParam) and None in p.dims]
        if plan is None and unsized and on_device:
            raise BuildError(
                f"{self.signature.name}: the size of `{unsized[0]}` is not declared: NVRTC is not enough, nvcc is needed"
            )
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
        """Run the function. Returns its number, if it has one, and the outputs that the call leaves out (docs/cuda.md, Running)."""
        if not kwargs:
            for checked_call in self._usual.by_position.get(len(args), ()):
                out = checked_call(*args)
                if out is not MISSED:
                    return out
        usual = self._usual.passed(args, kwargs)
        if usual is not None:
            (raw, number, made, written), library = usual
            if library.current() == number:
                if written and library.written is not None:
                    library.written(written)
                stream = library.stream(number)
                if self.signature.result is None and self._device is not None:
                    self._device(*raw, stream=stream, device_=number)
                    return one_or_all(made)
                return one_or_all([*self.number(lambda *more: self.on_device(raw, more, stream, number)), *made])
        return self.checked_call(args, kwargs)

    def checked_call(self, args: Sequence[Argument], kwargs: Arguments) -> Argument:
        """A call with all checks interpreted, which explain what is wrong."""
        s = self.signature
        packed = packed_call(s, args, kwargs, self.alignment)
        if packed is not None:
            return packed.run(self)
        bound = s.bind(args, kwargs)
        made = with_outputs(s, bound, on_gpu=not self.standin)
        given = dict(bound)
        require_no_gradient(s.name, given.items())
        views = self.views(bound)
        written = [given[p.name] for p in s.params if isinstance(p, ArrayParam) and p.written]
        if any(v.device is not None for v in views.values()):
            result = self.call_on_device(bound, views, written)
            kinds = {v.kind for v in views.values()}
            self._usual.learn(args, kwargs, kinds.pop() if len(kinds) == 1 else "")
        else:
            self._open.say(s.check(bound))
            raw = [bound[p.name] if isinstance(p, ScalarParam) else views[p.name].pointer for p in s.params]
            note_written(written)
            result = self.number(lambda *more: self._host(*raw, *more))
        return one_or_all([*result, *(given[p.name] for p in made)])

    def number(self, call: Callable[..., None]) -> list[Argument]:
        """What a call returns besides arrays: one number or none. The call gets the place for it."""
        if self.signature.result is None:
            call()
            return []
        place = ctype(self.signature.result)()
        call(ctypes.addressof(place))
        return [number(self.signature.result, place.value)]

    def on_device(self, raw: Sequence[float], more: Sequence[int], stream: int, device: int) -> None:
        assert self._device is not None
        self._device(*raw, *more, stream=stream, device_=device)

    def views(self, bound: Arguments) -> dict[str, ArrayBuffer]:
        out: dict[str, ArrayBuffer] = {}
        arrays = [p for p in self.signature.params if isinstance(p, ArrayParam)]
        late = [p for p in arrays if is_by_dlpack(bound[p.name])]
        for p in [
            p for p in arrays if p not in late
        ] + late:  # these must be ready for work on the stream of the others
            stream = stream_of(out) if p in late else 0
            view = view_of(bound[p.name], stream)
            if view is None:
                raise CallError(f"{self.signature.name}: `{p.name}` is an array, not {type(bound[p.name]).__name__}")
            if view.device is None and not isinstance(bound[p.name], np.ndarray):  # used as NumPy arrays
                bound[p.name] = in_host_memory(self.signature.name, p.name, bound[p.name])
                view = view_of(bound[p.name])
                assert view is not None
            if p.on_device and view.device is None and not self.standin:
                raise CallError(f"{self.signature.name}: `{p.name}` is GPU memory: give a PyTorch or CuPy array")
            out[p.name] = view
        return {p.name: out[p.name] for p in arrays}

    def prepared(self, *args: Argument, **kwargs: Argument) -> Callable[[], None]:
        """A call on device arrays with all checks done beforehand, for timing. It keeps the arrays alive; do not resize them."""
        bound = self.signature.bind(args, kwargs)
        if missing := self.signature.left_out(bound):
            raise CallError(f"{self.signature.name}: a prepared call needs all arrays: give `{missing[0].name}`")
        require_no_gradient(self.signature.name, bound.items())
        views = self.views(bound)
        raw = self.device_arguments(bound, views)
        call, device = self._device, gpu_of(views)
        assert call is not None
        if self.signature.result is not None:
            raw.append(ctypes.addressof(place := ctype(self.signature.result)()))
        else:
            place = None
        gpu = on_gpu(device, views)
        with gpu:
            stream = current_stream(list(views.values()))
        written = [bound[p.name] for p in self.signature.params if isinstance(p, ArrayParam) and p.written]

        def run(keep: object = (bound, views, place)) -> None:
            note_written(written)
            with gpu:
                call(*raw, stream=stream, device_=device)

        return run

    def bench(self, sizes: Mapping[str, float] | None = None, **options: Any) -> Measurement:
        """Time the function on random data of these sizes: `k.bench({"n": 1 << 28}, compare=True)`. See `runtime/bench.py`."""
        return bench(self, sizes, **options)

    def register(
        self, name: str, *, backward: RegisteredFunction | None = None, names: Mapping[str, str] | None = None
    ) -> Any:
        """Make an operator of PyTorch: `op = k.register("mylib::scale")`. See `runtime/torch_operators.py`."""
        return registered(self, name, backward, names or {})

    @property
    def torch_devices(self) -> tuple[str, ...]:
        """The kinds of devices, by PyTorch's names, whose tensors it takes."""
        return ("CPU", "CUDA")

    @property
    def aligned(self) -> Mapping[str, int]:
        """The bytes to which arrays must be aligned."""
        return self.alignment

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
        """Whether the host uses no elements of the arrays, so that the function can run on device arrays in place."""
        return self._device is not None

    def call_on_device(
        self, bound: Arguments, views: dict[str, ArrayBuffer], written: Sequence[Argument]
    ) -> list[Argument]:
        raw = self.device_arguments(bound, views)
        device = gpu_of(views)
        note_written(written)
        with on_gpu(device, views):
            stream = current_stream(list(views.values()))
            try:
                return self.number(lambda *more: self.on_device(raw, more, stream, device))
            finally:
                if any(v.kind == "dlpack" for v in views.values()):
                    wait_for(
                        device, stream
                    )  # the protocol has no way to tell the array's library when the work is done

    def device_arguments(self, bound: Arguments, views: dict[str, ArrayBuffer]) -> list[float]:
        name = self.signature.name
        if self.standin:
            raise CallError(f"{name} was built for the CPU stand-in: it takes NumPy arrays")
        if not self.takes_device_arrays:
            why = f": {self.host_work}" if self.host_work else ""
            raise CallError(f"{name} takes arrays in host memory, since it works on them there{why}")
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


def stream_of(views: Mapping[str, ArrayBuffer]) -> int:
    """The current stream of the libraries that own these arrays, on their GPU."""
    if all(v.device is None for v in views.values()):
        return 0
    with on_gpu(gpu_of(views), views):
        return current_stream(list(views.values()))


def device_name(device: int | None) -> str:
    return "host" if device is None else f"GPU {device}"


def wait_for(device: int, stream: int) -> None:
    """Wait until the work on a stream is done."""
    if device < gpu_count():
        driver(device).synchronize_stream(stream)


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
