"""Timing of a built function on random data that its contract allows, compared with library kernels and a device copy."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from optigpu.light_dataclass import dataclass
from optigpu.runtime.call_error import BuildError, CallError
from optigpu.runtime.driver import DeviceArray
from optigpu.runtime.libraries import same_results
from optigpu.runtime.nvcc import gpu_architecture, gpu_name
from optigpu.runtime.preconditions import integer_value
from optigpu.runtime.signature import DTYPES, Argument, Arguments, ArrayParam, ScalarParam, Signature
from optigpu.runtime.stored_floats import new_dtype
from optigpu.runtime.timing import Timing, copy_bandwidth, time_on_cpu, time_on_gpu
from optigpu.syntax.exprs import Binary, Int, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.types import DOUBLE, Kind

GPU_BYTES, CPU_BYTES = 3 << 30, 1 << 18  # all arrays together, if no sizes are given
FORMULA_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Pow: operator.pow,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Measurement:
    """`bytes`: memory traffic by the contract, each array read or written once; `copy`: bandwidth of a device copy in bytes per
    second, None off the GPU."""

    name: str
    where: str
    sizes: dict[str, float]
    timing: Timing
    bytes: int
    flops: float | None
    copy: float | None
    libraries: dict[str, Timing]

    @property
    def unit(self) -> str:
        return "GB/s" if self.flops is None else "TFLOP/s"

    def rate(self, timing: Timing | None = None) -> float:
        """The rate in `unit`, of our runs or a library's."""
        amount = self.bytes / 1e9 if self.flops is None else self.flops / 1e12
        return (timing or self.timing).rate(amount)

    def share(self, timing: Timing | None = None) -> float | None:
        """The achieved bandwidth as a fraction of a copy's."""
        return None if self.copy is None else (timing or self.timing).rate(self.bytes) / self.copy

    def ratio(self, library: str) -> float:
        """Our speed divided by a library's."""
        return self.libraries[library].median / self.timing.median


class TimedFunction(Protocol):
    """What `bench` needs of a compiled function (`runtime/cuda.py`)."""

    signature: Signature
    standin: bool

    @property
    def takes_device_arrays(self) -> bool: ...

    def __call__(self, *args: Argument, **kwargs: Argument) -> Argument: ...

    def prepared(self, *args: Argument, **kwargs: Argument) -> Callable[[], None]: ...


def bench(
    function: TimedFunction,
    sizes: Mapping[str, float] | None = None,
    *,
    data: Mapping[str, Argument] | None = None,
    repeats: int = 20,
    flops: float | str | None = None,
    compare: bool = False,
) -> Measurement:
    """Time a function on random data of these sizes (others are chosen), or on the given NumPy arrays."""
    if repeats < 1:
        raise CallError("at least one run is needed")
    signature = function.signature
    if not function.standin and gpu_architecture() is None:
        raise BuildError("no GPU was found")
    if not function.standin and not function.takes_device_arrays:
        raise CallError(f"{signature.name} also computes on the host, so its kernels cannot be timed alone")
    if data is None:
        chosen = chosen_sizes(signature, dict(sizes or {}), CPU_BYTES if function.standin else GPU_BYTES)
        data = random_data(signature, chosen)
    bound = signature.bind((), dict(data))
    signature.check(bound)
    numbers = {p.name: bound[p.name] for p in signature.params if isinstance(p, ScalarParam)}
    moved = bytes_moved(signature, bound)
    operations = None if flops is None else float(evaluated(flops, numbers))
    if function.standin:
        timing = time_on_cpu(lambda: function(**bound), repeats)
        return Measurement(signature.name, "the CPU stand-in", numbers, timing, moved, operations, None, {})
    arrays = {n: DeviceArray.of(v) for n, v in bound.items() if n not in numbers}
    call = function.prepared(**arrays, **numbers)
    call()
    libraries: dict[str, Timing] = {}
    if compare:
        params = [p for p in signature.params if isinstance(p, ArrayParam)]
        inputs, outputs = ([arrays[p.name] for p in params if p.written == w] for w in (False, True))
        others = [v for n, v in numbers.items() if n not in signature.inferable_sizes()]
        for name, other in same_results(inputs, outputs, others).items():
            libraries[name] = time_on_gpu(other, repeats)
    timing = time_on_gpu(call, repeats)
    return Measurement(signature.name, gpu_name(), numbers, timing, moved, operations, copy_bandwidth(), libraries)


def chosen_sizes(signature: Signature, fixed_by_caller: dict[str, float], most_bytes: int) -> dict[str, float]:
    """The given sizes; others as the contract fixes them, or the largest power of two for which all arrays fit."""
    scalars = {p.name: p for p in signature.params if isinstance(p, ScalarParam)}
    for name in fixed_by_caller:
        if name not in scalars:
            raise CallError(f"{signature.name} has no size `{name}` (it has: {', '.join(scalars) or 'none'})")
    known = {**fixed_sizes(signature), **fixed_by_caller}
    for name, p in scalars.items():
        if name not in known and p.type.kind is Kind.FLOAT:
            known[name] = 1.0
        elif name not in known and name not in size_names(signature):
            raise CallError(f"{signature.name}: give a value for `{name}`, which is no array's size (--size {name}=…)")
    free = [n for n in scalars if n not in known]
    problem = ""
    for power in reversed(range(31)) if free else [0]:
        sizes = {**known, **dict.fromkeys(free, 1 << power)}
        if free and total_bytes(signature, sizes) > most_bytes:
            continue
        try:
            signature.facts(sizes)
        except CallError as e:
            problem = str(e)
            continue
        return sizes
    if not free:
        raise CallError(problem)
    names = ", ".join(free)
    raise CallError(
        f"{signature.name}: no power of two is a size for {names} by the contract: give sizes (--size NAME=NUMBER)"
    )


def fixed_sizes(signature: Signature) -> dict[str, float]:
    """Sizes that the contract fixes, such as `n == 1024`."""
    out: dict[str, float] = {}
    for r in signature.requirements:
        match r.prop:
            case Binary("==", Var(name), Int(value)) | Binary("==", Int(value), Var(name)):
                out[name] = value
            case _:
                pass
    return out


def size_names(signature: Signature) -> set[str]:
    """Parameters that array sizes depend on."""
    dims = [d for p in signature.params if isinstance(p, ArrayParam) for d in p.dims if d is not None]
    return set().union(*map(free_vars, dims))


def shape_of(p: ArrayParam, signature: Signature, sizes: Mapping[str, float]) -> tuple[int, ...]:
    out = [None if d is None else integer_value(d, sizes) for d in p.dims]
    if any(n is None for n in out):
        raise CallError(f"{signature.name}: the contract does not say how large `{p.name}` is")
    return tuple(int(n or 0) for n in out)


def total_bytes(signature: Signature, sizes: Mapping[str, float]) -> int:
    total = 0
    for p in signature.params:
        if isinstance(p, ArrayParam):
            count = 1
            for n in shape_of(p, signature, sizes):
                count *= n
            total += count * p.elem.size
    return total


def random_data(signature: Signature, sizes: Mapping[str, float]) -> Arguments:
    """Arrays for a run: floats in [0, 1) to read, NaN to overwrite, zeros for integers (they may be indices)."""
    rng = np.random.default_rng(0)
    read = {array for _, array in signature.models}
    out: Arguments = dict(sizes)
    for p in signature.params:
        if isinstance(p, ArrayParam):
            shape, dtype = shape_of(p, signature, sizes), new_dtype(DTYPES[p.elem.name], f"`{p.name}`")
            if p.elem.kind is not Kind.FLOAT:
                out[p.name] = np.zeros(shape, dtype)
            elif p.written and p.name not in read:
                out[p.name] = np.full(shape, np.nan, dtype)
            else:
                drawn = rng.random(shape, np.float64 if p.elem == DOUBLE else np.float32)
                out[p.name] = drawn.astype(dtype, copy=False)
    return out


def bytes_moved(signature: Signature, bound: Mapping[str, Argument]) -> int:
    """Memory traffic: each array counts once if the contract reads it, and once if it writes it."""
    read = {array for _, array in signature.models}
    return sum(
        int(bound[p.name].nbytes) * ((p.name in read or not p.written) + p.written)
        for p in signature.params
        if isinstance(p, ArrayParam)
    )


def evaluated(formula: float | str, numbers: Mapping[str, float]) -> float:
    """The value of a number or of a formula over the function's sizes, such as `2 * m * n * p`."""
    if not isinstance(formula, str):
        return formula

    def value(e: ast.expr) -> float:
        match e:
            case ast.Constant(int() | float() as n):
                return n
            case ast.Name(name):
                if name not in numbers:
                    raise CallError(f"`{name}` in `{formula}` is no size (there is: {', '.join(numbers)})")
                return numbers[name]
            case ast.BinOp(a, op, b) if type(op) in FORMULA_OPERATORS:
                return float(FORMULA_OPERATORS[type(op)](value(a), value(b)))
            case _:
                raise CallError(f"`{formula}` is no arithmetic on sizes")

    try:
        return value(ast.parse(formula, mode="eval").body)
    except (SyntaxError, ZeroDivisionError, OverflowError):
        raise CallError(f"`{formula}` is no arithmetic on sizes") from None
