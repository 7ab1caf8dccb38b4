"""Measures candidates in a process of its own, so that one that crashes, or damages the GPU's context, takes only itself along.

One request a line, as JSON: a size, and the candidates to measure there. One line for each candidate: its times, or its failure.
Needs NumPy and the runtime alone.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from optigpu.light_dataclass import dataclass
from optigpu.runtime.bench import random_data, total_bytes
from optigpu.runtime.call_error import BuildError, CallError
from optigpu.runtime.cuda import CudaFunction
from optigpu.runtime.driver import DeviceArray, driver
from optigpu.runtime.manifest import load
from optigpu.runtime.nvcc import gpu_architecture, gpu_name
from optigpu.runtime.signature import Arguments, ArrayParam, ScalarParam, Signature
from optigpu.runtime.timing import Timing, time_on_cpu, time_on_gpu
from optigpu.tuning.same_outputs import Outputs, checked_cases, difference
from optigpu.tuning.tuned_file import STANDIN

MOST_KEPT = 3  # different results of one size that are kept in memory
WARM_UP = 0.2  # seconds: the GPU has just made the results that are compared
READY, START, DONE = "ready", "start", "done"


@dataclass(frozen=True, slots=True)
class Request:
    """`candidates` are measured, after those of `kept` have run once more for their results. `name`: of the tuning."""

    folder: str
    name: str
    candidates: tuple[str, ...]
    kept: tuple[str, ...]
    sizes: dict[str, int]
    standin: bool
    compiler: str | None
    repeats: int


def built_name(name: str, key: str) -> str:
    """The name of the files of a candidate, without suffix."""
    return f"{name}-{key}"


def cases_name(name: str) -> str:
    """The file of small inputs, and what the plain program makes of them."""
    return f"{name}.cases.npz"


def compiled(folder: Path, name: str, key: str, standin: bool, compiler: str | None) -> CudaFunction:
    """A candidate, ready to be called. CallError if it is not verified."""
    built = load(folder, built_name(name, key))
    if not built.verified:
        raise CallError("it is not verified")
    function = built.function(standin=standin, compiler=None if standin else compiler)
    if not standin and not function.takes_device_arrays:
        raise CallError("it also computes on the host, so its kernels cannot be timed alone")
    return function


class CandidateRuns:
    """Measures candidates of one size after the other. Functions are compiled once; data is kept while the size is the same."""

    def __init__(self) -> None:
        self.functions: dict[tuple[str, str], CudaFunction | str] = {}  # or why there is none

    def group(self, r: Request) -> Iterator[dict[str, object]]:
        at_size: _AtSize | None = None
        for key in (*r.kept, *r.candidates):
            again = key in r.kept and key not in r.candidates
            if not again:
                yield {"event": START, "candidate": key}
            try:
                function = self.function(r, key)
                at_size = at_size or _AtSize(function.signature, r.sizes, r.standin)
                outputs, call = at_size.run(function)
                same_as = at_size.same_as(key, outputs)
                if again:
                    continue
                t = at_size.timed(call, r.repeats)
                numbers = {"milliseconds": t.median, "fastest": min(t.runs), "slowest": max(t.runs)}
                yield {"candidate": key, "same_as": same_as, **numbers}
            except Exception as e:  # whatever it is, it is the failure of this candidate
                expected = isinstance(e, CallError | BuildError)
                if not again:
                    yield {"candidate": key, "failure": str(e) if expected else f"{type(e).__name__}: {e}"}
                if not r.standin and not gpu_works():
                    return  # the next request goes to another process
        yield {"event": DONE}

    def function(self, r: Request, key: str) -> CudaFunction:
        """A candidate that agrees with the plain program on small inputs."""
        known = self.functions.get((r.name, key))
        if known is None:
            folder = Path(r.folder)
            try:
                known = compiled(folder, r.name, key, r.standin, r.compiler)
                agrees_on_cases(known, folder / cases_name(r.name))
            except (CallError, BuildError) as e:
                known = str(e)
            self.functions[r.name, key] = known
        if isinstance(known, str):
            raise CallError(known)
        return known


def gpu_works() -> bool:
    try:
        with driver().current():
            driver().synchronize()
        return True
    except CallError:
        return False


def agrees_on_cases(function: CudaFunction, file: Path) -> None:
    """CallError if the function gives other results than the plain program."""
    if not file.exists():
        return
    for inputs, expected in checked_cases(file, function.signature):
        arguments = {n: v.copy() if isinstance(v, np.ndarray) else v for n, v in inputs.items()}
        result = function(**arguments)
        text = difference(expected, outputs_of(function.signature, arguments, result))
        if text is not None:
            sizes = ", ".join(f"{n} = {v}" for n, v in inputs.items() if not isinstance(v, np.ndarray))
            raise CallError(f"it gives another result than the plain program for {sizes}: {text}")


def outputs_of(signature: Signature, bound: Mapping[str, Any], result: object) -> Outputs:
    out = {p.name: np.asarray(bound[p.name]) for p in signature.params if isinstance(p, ArrayParam) and p.written}
    return out if signature.result is None else out | {"the result": np.asarray(result)}


class _AtSize:
    """The data of one size, and the different results that candidates made of it."""

    def __init__(self, signature: Signature, sizes: Mapping[str, int], standin: bool) -> None:
        self.signature, self.standin = signature, standin
        scalars = {p.name: 1.0 for p in signature.params if isinstance(p, ScalarParam)}
        self.data: Arguments = random_data(signature, scalars | dict(sizes))
        self.written = {p.name for p in signature.params if isinstance(p, ArrayParam) and p.written}
        self.on_gpu: Arguments = {}
        self.kept: list[tuple[str, Outputs]] = []

    def run(self, function: CudaFunction) -> tuple[Outputs, Callable[[], object]]:
        """What a function makes of the data, and a call of it to be timed."""
        if self.standin:
            bound = {n: v.copy() if n in self.written else v for n, v in self.data.items()}
            result = function(**bound)
            outputs = {n: v.copy() for n, v in outputs_of(function.signature, bound, result).items()}
            return outputs, partial(function, **bound)
        for name, value in self.data.items():
            if isinstance(value, np.ndarray) and (name in self.written or name not in self.on_gpu):
                self.on_gpu.pop(name, None)  # its memory is needed
                self.on_gpu[name] = DeviceArray.of(value)
        numbers = {n: v for n, v in self.data.items() if not isinstance(v, np.ndarray)}
        call = function.prepared(**self.on_gpu, **numbers)
        call()
        return {n: self.on_gpu[n].get() for n in sorted(self.written)}, call

    def timed(self, call: Callable[[], object], repeats: int) -> Timing:
        return time_on_cpu(call, repeats) if self.standin else time_on_gpu(call, repeats, WARM_UP)

    def same_as(self, key: str, outputs: Outputs) -> str:
        """The first candidate with the same results; the candidate itself if there is none."""
        for other, kept in self.kept:
            if difference(kept, outputs) is None:
                return other
        if len(self.kept) < MOST_KEPT:
            self.kept.append((key, outputs))
        return key


def where_and_memory(standin: bool) -> tuple[str, int]:
    """What candidates are measured on, and its memory in bytes."""
    import ctypes

    of_machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if standin:
        return STANDIN, of_machine
    if gpu_architecture() is None:
        raise BuildError("no GPU was found, so there is nothing to measure on (--cpu measures on the CPU stand-in)")
    total, device = ctypes.c_size_t(), ctypes.c_int()
    driver().call("cuDeviceGet", ctypes.byref(device), 0)
    driver().call("cuDeviceTotalMem_v2", ctypes.byref(total), device)
    return gpu_name(), min(of_machine, total.value)


def too_large(signature: Signature, sizes: Mapping[str, int], memory: int) -> str | None:
    """Why a size cannot be measured in so much memory."""
    needed = total_bytes(signature, sizes)
    if needed <= memory:
        return None
    return f"the arrays need {needed / 2**30:,.1f} GiB, and there is {memory / 2**30:,.1f} GiB"


def request_of(line: str) -> Request:
    data = json.loads(line)
    return Request(**{**data, "candidates": tuple(data["candidates"]), "kept": tuple(data["kept"])})


def serve_measurements(standin: bool) -> None:
    """The main loop: what the process measures on, then the answers to one request after the other."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what compilers print must not come between the answers

    def say(answer: Mapping[str, object]) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    try:
        where, memory = where_and_memory(standin)
    except (BuildError, CallError) as e:
        say({"event": READY, "failure": str(e)})
        return
    say({"event": READY, "where": where, "memory": memory})
    runs = CandidateRuns()
    for line in iter(sys.stdin.readline, ""):
        for answer in runs.group(request_of(line)):
            say(answer)


if __name__ == "__main__":
    serve_measurements(sys.argv[1:] == ["--cpu"])
