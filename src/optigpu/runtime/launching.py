"""Execution of launch plans: kernels compiled by NVRTC, launched through the driver."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from math import prod
from typing import Any

from optigpu.codegen.launch_plan import (
    AXES,
    MAX_GRID,
    Plan,
    PlanChoice,
    PlanCopy,
    PlanFree,
    PlanLaunch,
    PlanLet,
    PlanLimit,
    PlanProduct,
    PlanRepeat,
    PlanScratch,
)
from optigpu.runtime.call_error import CallError
from optigpu.runtime.cpu import argument
from optigpu.runtime.driver import Driver, driver
from optigpu.runtime.fact_code import INTEGER, KINDS, Names, compiled_value, fact_text, size_text
from optigpu.runtime.preconditions import holds, integer_value
from optigpu.runtime.signature import ArrayParam, ScalarParam, Signature
from optigpu.syntax.exprs import Expr
from optigpu.syntax.types import Scalar


class Launcher:
    """The two entry points of a function, on host pointers and on device pointers with a stream. `image`: its compiled kernels, or
    a function from the GPU's number to them."""

    def __init__(
        self,
        signature: Signature,
        plan: Plan,
        image: bytes | Callable[[int], bytes],
        drivers: Callable[[int], Driver] = driver,
    ) -> None:
        self.signature = signature
        self.plan = plan
        self.image = image
        self.drivers = drivers
        self._values: dict[int, Callable[[Mapping[str, Any]], Any]] = {}
        self._names = {n: (f"v[{n!r}]", kind) for n, kind in numbers_of(signature, plan)}
        self._functions: dict[tuple[int, str], ctypes.c_void_p] = {}
        self._modules: dict[int, ctypes.c_void_p] = {}

    def on_host(self, *raw: Any) -> None:
        """Copy in, run the plan, copy out."""
        d = self.drivers(0)
        values = self.arguments(raw)
        sizes = {p.name: self.nbytes(p, values) for p in self.signature.params if isinstance(p, ArrayParam)}
        moved: dict[str, int] = {}
        with d.current():
            try:
                for name, nbytes in sizes.items():
                    moved[name] = d.allocate(nbytes)
                    d.copy_in(moved[name], values[name], nbytes)
                _Run(self, d, 0, 0, {**values, **moved}).whole(self.plan)
                d.synchronize()
                for p in self.signature.params:
                    if isinstance(p, ArrayParam) and p.written:
                        d.copy_out(values[p.name], moved[p.name], sizes[p.name])
            finally:
                for pointer in moved.values():
                    d.free(pointer)

    def on_device(self, *raw: Any, stream: int, device: int) -> None:
        d = self.drivers(device)
        with d.current():
            _Run(self, d, device, stream, self.arguments(raw)).whole(self.plan)

    def arguments(self, raw: Sequence[Any]) -> dict[str, Any]:
        values = dict(zip((p.name for p in self.signature.params), raw))
        for step in self.plan:
            if isinstance(step, PlanLimit) and not step.low <= values[step.name] <= step.high:
                size = "large" if values[step.name] > 0 else "small"
                raise CallError(f"{self.signature.name}: {step.name} is too {size} for 32-bit indices")
            if isinstance(step, PlanProduct) and prod(values[name] for name in step.names) > step.most:
                raise CallError(f"{self.signature.name}: {step.text} is too large for 64-bit indices")
        return values

    def nbytes(self, p: ArrayParam, values: Mapping[str, Any]) -> int:
        """The size of an array of the caller, of which nothing is known but the contract's sizes and an address."""
        dims = [e for e in p.dims if e is not None]
        if len(dims) < len(p.dims):
            raise CallError(f"{self.signature.name}: the size of `{p.name}` is not declared, so it cannot be copied")
        return p.elem.size * self.count(dims, values)

    def count(self, dims: Sequence[Expr], values: Mapping[str, Any]) -> int:
        total = 1
        for e in dims:
            total *= self.integer(e, values)
        return total

    def integer(self, e: Expr, values: Mapping[str, Any]) -> int:
        return int(self.value(e, values, size_text, integer_value))

    def condition(self, e: Expr, values: Mapping[str, Any]) -> bool:
        return bool(self.value(e, values, fact_text, holds))

    def value(
        self,
        e: Expr,
        values: Mapping[str, Any],
        text_of: Callable[[Expr, Names], str | None],
        interpreted: Callable[[Expr, Mapping[str, Any]], Any],
    ) -> Any:
        """The value of an expression of the plan, by a function that is compiled once."""
        known = self._values.get(id(e))  # the plan keeps it alive
        if known is None:
            text = text_of(e, self._names)
            known = partial(interpreted, e) if text is None else compiled_value(text, ["v"])
            self._values[id(e)] = known
        out = known(values)
        assert out is not None, e
        return out

    def function(self, d: Driver, device: int, kernel: str) -> ctypes.c_void_p:
        if device not in self._modules:
            image = self.image if isinstance(self.image, bytes) else self.image(device)
            self._modules[device] = d.load(image)
        if (device, kernel) not in self._functions:
            self._functions[device, kernel] = d.function(self._modules[device], kernel)
        return self._functions[device, kernel]


class _Run:
    """One run of a plan; `values`: numbers and device pointers by name."""

    def __init__(self, of: Launcher, d: Driver, device: int, stream: int, values: dict[str, Any]) -> None:
        self.of, self.driver, self.device, self.stream, self.values = of, d, device, stream, values
        self.scratch: list[int] = []

    def whole(self, plan: Plan) -> None:
        try:
            self.run(plan)
        finally:
            for pointer in self.scratch:
                self.driver.free_scratch(pointer, self.stream)

    def run(self, plan: Plan) -> None:
        for step in plan:
            match step:
                case PlanLimit() | PlanProduct():
                    pass  # checked in `arguments`
                case PlanLet(name, value):
                    self.values[name] = self.integer(value)
                case PlanScratch(name, elem, dims):
                    self.values[name] = self.driver.scratch(elem.size * self.of.count(dims, self.values), self.stream)
                    self.scratch.append(self.values[name])
                case PlanFree(name):
                    self.scratch.remove(self.values[name])
                    self.driver.free_scratch(self.values[name], self.stream)
                case PlanCopy(to, source, elem, dims):
                    nbytes = elem.size * self.of.count(dims, self.values)
                    self.driver.copy(self.values[to], self.values[source], nbytes, self.stream)
                case PlanLaunch():
                    self.launch(step)
                case PlanRepeat():
                    self.repeat(step)
                case PlanChoice(test, then, other):
                    self.run(then if self.of.condition(test, self.values) else other)

    def integer(self, e: Expr) -> int:
        return self.of.integer(e, self.values)

    def repeat(self, loop: PlanRepeat) -> None:
        at = self.integer(loop.start)
        while True:
            self.values[loop.index] = at
            bound = self.integer(loop.bound)
            if not {"<": at < bound, "<=": at <= bound, ">": at > bound, ">=": at >= bound}[loop.relation]:
                return
            self.run(loop.body)
            amount = self.integer(loop.amount)
            at = stepped(at, loop.op, amount)

    def maps(self, k: PlanLaunch) -> list[Any] | None:
        """How bulk copies find the tiles of a kernel's arrays; None where they cannot."""
        if not self.driver.has_bulk_copies():
            return None
        out = []
        for m in k.maps:
            sizes = [self.integer(d) for d in m.dims]
            out.append(self.driver.tensor_map(m.elem, self.values[m.array], sizes, m.rows, m.cols))
        return None if None in out else out

    def launch(self, k: PlanLaunch, maps: Sequence[Any] = ()) -> None:
        if k.bulk is not None and (found := self.maps(k.bulk)) is not None:
            self.launch(k.bulk, found)
            return
        grid, block = [[self.integer(e) for e in sizes] for sizes in (k.grid, k.block)]
        if min(grid) <= 0:
            return
        sliced = {AXES.index(axis): t for axis, t in k.slices}
        for axis, (n, most) in enumerate(zip(grid, MAX_GRID)):
            if n > most and axis not in sliced:
                raise CallError(f"{k.kernel}: the grid would have more than {most} blocks")
        function = self.of.function(self.driver, self.device, k.kernel)
        shared = self.integer(k.shared_bytes)
        starts = [range(0, grid[axis], MAX_GRID[axis]) for axis in sliced]
        for firsts in product(*starts):
            part = list(grid)
            for axis, first in zip(sliced, firsts):
                part[axis] = min(grid[axis] - first, MAX_GRID[axis])
            args = [self.scalar(t, self.values[n]) for n, t in k.scalars]
            args += [self.scalar(t, first) for t, first in zip(sliced.values(), firsts)]
            args += [ctypes.c_uint64(self.values[n]) for n in k.arrays]
            args += maps
            self.driver.launch(function, part, block, shared, self.stream, args)

    def scalar(self, t: Scalar, value: Any) -> Any:
        return argument(t, value)


def numbers_of(signature: Signature, plan: Plan) -> Iterator[tuple[str, str]]:
    """The numbers of a plan, with what `fact_code` calls their kinds."""
    yield from ((p.name, KINDS[p.type.kind]) for p in signature.params if isinstance(p, ScalarParam))
    for step in plan:
        match step:
            case PlanLet(name):
                yield name, INTEGER
            case PlanRepeat(index, body=body):
                yield index, INTEGER
                yield from numbers_of(signature, body)
            case PlanChoice(_, then, other):
                yield from numbers_of(signature, then + other)
            case _:
                pass


def stepped(at: int, op: str, amount: int) -> int:
    """The next value of a loop index."""
    match op:
        case "+":
            return at + amount
        case "-":
            return at - amount
        case "*":
            return at * amount
        case "/":
            return at // amount if at >= 0 else -(-at // amount)
        case "<<":
            return at << amount
        case _:
            return at >> amount
