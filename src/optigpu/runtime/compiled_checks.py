"""The checks of a call as straight-line Python, generated once for a signature and a library of arrays.

`Signature` checks a call by interpreting the contract, and explains what is wrong. The functions made here accept a part of the
calls that it accepts, and give the same arguments for the compiled code, or call it at once. For every other call they return None
or MISSED, and `Signature` decides. `tests/runtime/test_compiled_checks.py` compares the two.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from optigpu.light_dataclass import dataclass
from optigpu.runtime.call_error import CallError
from optigpu.runtime.claims import extent
from optigpu.runtime.fact_code import HELPERS, INTEGER, KINDS, fact_text, size_text
from optigpu.runtime.preconditions import decidable, holds
from optigpu.runtime.signature import DTYPES, ArrayParam, ScalarParam, Signature
from optigpu.runtime.stored_floats import ROUNDING, dtype_of
from optigpu.runtime.torch_tensors import number_of_current_device, stream_of_device, version_counter
from optigpu.syntax.builtins import INT_CONSTANTS
from optigpu.syntax.exprs import Expr, Var
from optigpu.syntax.types import DOUBLE, Kind

# The arguments for the compiled code, without a result's place; the GPU (-1: host memory); the arrays made for outputs that were
# left out; the given arrays that are written.
PassedArguments = tuple[list[Any], int, tuple[Any, ...], tuple[Any, ...]]
Check = Callable[..., PassedArguments | None]
CheckedCall = Callable[..., Any]  # returns the arrays made, or MISSED
MISSED = object()  # the call is left to the interpreted checks


class NotCompiled(Exception):
    """There is no such check."""


@dataclass(frozen=True, slots=True)
class Library:
    """How generated code looks at the arrays of a library. In the texts, {x} is the array.

    `tests`: conditions that hold for usual arrays. `shape`, `pointer`, `device`: expressions. `dtype`: a condition, for a type's
    name. `writeable`: a condition. `new`: an expression for an uninitialised array of {shape} beside the array {x}. `setup`: a
    statement that replaces the array by what the others look at.
    """

    name: str
    types: tuple[type, ...]
    tests: tuple[str, ...]
    shape: str
    pointer: str
    device: str
    dtype: Callable[[str], str]
    writeable: str | None
    new: tuple[str, str] | None  # uninitialised, zeros
    globals: Mapping[str, Any]
    stream: Callable[[int], int] = lambda device: 0  # the current stream of a GPU
    current: Callable[[], int] = lambda: 0  # the current GPU
    written: Callable[[Sequence[Any]], None] | None = None  # is told which arrays are written
    setup: str = ""
    refused: str | None = (
        None  # a condition under which arrays are not taken, with {any}: that one of them needs a gradient
    )
    needs_gradient: str = ""


def torch_library() -> Library:
    """PyTorch's tensors on a GPU."""
    torch = sys.modules["torch"]
    dtypes = {f"torch_{name}": getattr(torch, name) for name in DTYPES.values() if hasattr(torch, name)}
    return Library(
        "torch",
        (torch.Tensor, torch.nn.Parameter),
        ("{x}.is_cuda", "{x}.layout is strided", "{x}.is_contiguous()", "not {x}.is_neg()"),
        "{x}.shape",
        "{x}.data_ptr()",
        "{x}.get_device()",
        lambda name: f"{{x}}.dtype is torch_{name}",
        None,
        ("empty({shape}, dtype=torch_{dtype}, device={x}.device)", "zeros({shape}, dtype=torch_{dtype}, device={x}.device)"),
        {
            "strided": torch.strided, "is_grad_enabled": torch.is_grad_enabled, "forward_ad": torch.autograd.forward_ad,
            "empty": torch.empty, "zeros": torch.zeros, **dtypes,
        },
        stream_of_device(torch),
        number_of_current_device(torch),
        version_counter(),
        refused="({any}) and is_grad_enabled() or forward_ad._current_level >= 0",  # within a level, tensors may have tangents
        needs_gradient="{x}.requires_grad",
    )  # fmt: skip


def cupy_library() -> Library:
    cupy = sys.modules["cupy"]
    dtypes = {f"dtype_{name}": dtype_of(name) for name in DTYPES.values()}
    return Library(
        "cupy",
        (cupy.ndarray,),
        ("{x}.flags.c_contiguous",),
        "{x}.shape",
        "{x}.data.ptr",
        "{x}.data.device_id",
        lambda name: f"{{x}}.dtype == dtype_{name}",
        None,
        None,
        dtypes,
        lambda device: int(cupy.cuda.get_current_stream().ptr),
        lambda: int(cupy.cuda.runtime.getDevice()),
    )


def numpy_library() -> Library:
    dtypes = {f"dtype_{name}": dtype_of(name) for name in DTYPES.values()}
    return Library(
        "numpy",
        (np.ndarray,),
        ("{x}_flags.c_contiguous", "{x}_flags.aligned"),
        "{x}.shape",
        "{x}.ctypes.data",
        "-1",
        lambda name: f"{{x}}.dtype == dtype_{name}",
        "{x}_flags.writeable",
        ("empty({shape}, dtype_{dtype})", "zeros({shape}, dtype_{dtype})"),
        {"empty": np.empty, "zeros": np.zeros, **dtypes},
        setup="{x}_flags = {x}.flags",
    )


def library_of(kind: str) -> Library | None:
    """By `ArrayBuffer.kind`; None if there is none, or it lacks what is needed."""
    try:
        match kind:
            case "torch":
                return torch_library()
            case "cupy":
                return cupy_library()
            case "numpy":
                return numpy_library()
            case _:
                return None
    except (KeyError, AttributeError):
        return None


def checks_of(
    signature: Signature, order: Sequence[str], library: Library, alignment: Mapping[str, int]
) -> Check | None:
    """The check for positional arguments of these parameters, which makes the outputs that are not among them; None if there is
    none."""
    try:
        return _Writer(signature, tuple(order), library, alignment).check()
    except NotCompiled:
        return None


def checked_call_of(
    signature: Signature,
    order: Sequence[str],
    library: Library,
    alignment: Mapping[str, int],
    entry: Callable[..., Any],
) -> CheckedCall | None:
    """The same check and the call of `entry` on the current stream in one function. `entry` returns the bytes of a message, or None
    if there is nothing to tell."""
    try:
        return _Writer(signature, tuple(order), library, alignment).call(entry)
    except NotCompiled:
        return None


@dataclass
class _Writer:
    """Writes the function. Parameter i is `p{i}`, its dimensions are `p{i}_{axis}`, its address is `p{i}_at`."""

    signature: Signature
    order: tuple[str, ...]
    library: Library
    alignment: Mapping[str, int]
    names: dict[str, tuple[str, str]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    globals: dict[str, Any] = field(default_factory=dict)

    def check(self) -> Check:
        raw, made, written = self.write()
        self.lines.append(f"return [{raw}], device, ({made}), ({written})")
        return self.function(None, [])

    def call(self, entry: Callable[..., Any]) -> CheckedCall:
        raw, made, written = self.write()
        library = self.library
        self.globals |= {"entry": entry, "current": library.current, "stream": library.stream, "CallError": CallError}
        self.require("current() == device")
        call = [
            f"message = entry({raw}, stream(device))",
            "if message is not None: raise CallError(message.decode())",
        ]
        if written and library.written is not None:
            self.globals["note_written"] = library.written
            call.insert(0, f"note_written(({written}))")
        single = made.count(",") == 1
        return self.function(MISSED, [*call, f"return {made[:-2] if single else f'({made})' if made else None}"])

    def function(self, otherwise: object, call: Sequence[str]) -> Callable[..., Any]:
        """The lines as a function, in which an error of Python means that the check does not hold, and then the call."""
        self.globals["OTHERWISE"] = otherwise
        text = "\n".join(
            [
                f"def function({', '.join(self.local(n) for n in self.order)}):",
                " try:",
                *(f"  {x}" for x in self.lines),
                " except Exception:",
                "  return OTHERWISE",
                *(f" {x}" for x in call),
            ]
        )
        exec(compile(text, f"<checks of {self.signature.name}>", "exec"), self.globals)
        out: Callable[..., Any] = self.globals["function"]
        return out

    def write(self) -> tuple[str, str, str]:
        """The checks, line by line. Returns what the compiled code gets, the arrays made, and the given arrays that are written, as
        lists of names."""
        s, on_host = self.signature, self.library.name == "numpy"
        self.globals = {
            **HELPERS,
            **self.library.globals,
            "isfinite": math.isfinite,
            "holds": holds,
        }
        self.globals |= {f"type{i}": t for i, t in enumerate(self.library.types)}
        self.names |= {name: (f"({value})", INTEGER) for name, value in INT_CONSTANTS.items()}
        if on_host and any(isinstance(p, ArrayParam) and p.elem.kind is Kind.BOOL for p in s.params):
            raise NotCompiled  # their contents are checked
        given = [p for p in s.params if p.name in self.order]
        made = [p for p in s.params if p.name not in self.order and isinstance(p, ArrayParam)]
        if any(not p.output for p in made):
            raise NotCompiled
        arrays = [p for p in given if isinstance(p, ArrayParam)]
        if not arrays:
            raise NotCompiled
        for p in given:
            if isinstance(p, ScalarParam):
                self.scalar(p)
        for p in arrays:
            self.array(p)
        self.devices(arrays)
        self.sizes([*arrays, *made])
        self.facts(on_host, made)
        self.overlaps(arrays)
        self.gradients(arrays)
        for p in made:
            self.make(p, arrays[0])
        raw = [f"{self.local(p.name)}{'_at' if isinstance(p, ArrayParam) else ''}" for p in s.params]
        new = "".join(f"{self.local(p.name)}, " for p in made)
        written = "".join(f"{self.local(p.name)}, " for p in arrays if p.written)
        return ", ".join(raw), new, written

    def local(self, name: str) -> str:
        return f"p{next(i for i, p in enumerate(self.signature.params) if p.name == name)}"

    def require(self, condition: str) -> None:
        self.lines.append(f"if not ({condition}): return OTHERWISE")

    def scalar(self, p: ScalarParam) -> None:
        x = self.local(p.name)
        match p.type.kind:
            case Kind.INT:
                self.require(f"type({x}) is int and {p.type.low} <= {x} <= {p.type.high}")
            case Kind.BOOL:
                self.require(f"type({x}) is bool")
            case Kind.FLOAT:
                self.lines.append(f"if type({x}) is int: {x} = float({x})")
                self.require(f"type({x}) is float")
                if p.type != DOUBLE:
                    self.globals[f"to_{p.type.name}"] = ROUNDING[p.type]
                    self.lines.append(f"{x} = to_{p.type.name}({x})")
                self.require(f"isfinite({x})")
        self.names[p.name] = (x, KINDS[p.type.kind])

    def array(self, p: ArrayParam) -> None:
        """Type, layout, dimensions, address. Sizes that are no argument are read from the first array that has them."""
        x = self.local(p.name)
        self.require(" or ".join(f"type({x}) is type{i}" for i in range(len(self.library.types))))
        if self.library.setup:
            self.lines.append(self.library.setup.format(x=x))
        dtype = DTYPES[p.elem.name]
        for test in (*self.library.tests, self.library.dtype(dtype)):
            self.require(test.format(x=x))
        if p.written and self.library.writeable:
            self.require(self.library.writeable.format(x=x))
        shape = [f"{x}_{axis}" for axis in range(len(p.dims))]
        self.lines.append(
            f"{''.join(f'{n}, ' for n in shape) or '()'} = {self.library.shape.format(x=x)}".replace("() =", "[] =")
        )
        for axis, (d, n) in enumerate(zip(p.dims, shape)):
            self.names[extent(p.name, axis)] = (n, INTEGER)
            if isinstance(d, Var) and d.name not in self.names and d.name in self.signature.inferable_sizes():
                size = next(q for q in self.signature.params if q.name == d.name)
                assert isinstance(size, ScalarParam)
                self.require(f"{n} <= {size.type.high}")
                self.lines.append(f"{self.local(d.name)} = {n}")
                self.names[d.name] = (self.local(d.name), INTEGER)
        self.lines.append(f"{x}_at = {self.library.pointer.format(x=x)}")
        self.lines.append(f"{x}_bytes = {' * '.join([str(p.elem.size), *shape])}")
        if self.library.name != "numpy":
            self.require(f"{x}_at or not {x}_bytes")
            if (alignment := max(p.elem.size, self.alignment.get(p.name, 1))) > 1:
                self.require(f"{x}_at % {alignment} == 0")

    def devices(self, arrays: list[ArrayParam]) -> None:
        first, *others = (self.local(p.name) for p in arrays)
        self.lines.append(f"device = {self.library.device.format(x=first)}")
        if self.library.name != "numpy":
            for x in others:
                self.require(f"{self.library.device.format(x=x)} == device")

    def sizes(self, arrays: list[ArrayParam]) -> None:
        """The dimensions of given arrays, and those of arrays to be made."""
        missing = [p.name for p in self.signature.params if isinstance(p, ScalarParam) and p.name not in self.names]
        if missing:
            raise NotCompiled
        for p in arrays:
            for axis, d in enumerate(p.dims):
                if d is None:
                    continue  # see `facts`
                text = size_text(d, self.names)
                if text is None:
                    raise NotCompiled
                n = f"{self.local(p.name)}_{axis}"
                if p.name in self.order:
                    if text != n:
                        self.require(f"{n} == {text}")
                else:
                    self.lines.append(f"{n} = {text}")
                    self.require(f"{n} >= 0")

    def facts(self, on_host: bool, made: list[ArrayParam]) -> None:
        """The preconditions, which are checked even where the usual way does not decide them and warns."""
        scalars = {p.name for p in self.signature.params if isinstance(p, ScalarParam)} | INT_CONSTANTS.keys()
        for i, r in enumerate(self.signature.requirements):
            if decidable(r.prop, scalars):
                self.fact(f"fact{i}", r.prop, scalars)
            elif on_host and decidable(r.prop, scalars | self.signature.described()):
                raise NotCompiled  # they are about contents
        reached = scalars | {
            extent(p.name, a) for p in self.signature.params if isinstance(p, ArrayParam) for a in range(len(p.dims))
        }
        for i, r in enumerate(self.signature.reach):
            self.fact(f"reach{i}", r.prop, reached)

    def fact(self, name: str, prop: Expr, known: set[str]) -> None:
        text = fact_text(prop, self.names)
        if text is None:
            self.globals[name] = prop
            values = ", ".join(f"{n!r}: {self.names[n][0]}" for n in sorted(known & self.names.keys()))
            text = f"holds({name}, {{{values}}}) is True"
        self.require(text)

    def overlaps(self, arrays: list[ArrayParam]) -> None:
        for i, p in enumerate(arrays):
            for q in arrays[i + 1 :]:
                if p.written or q.written:
                    a, b = self.local(p.name), self.local(q.name)
                    self.require(f"{a}_at + {a}_bytes <= {b}_at or {b}_at + {b}_bytes <= {a}_at")

    def gradients(self, arrays: list[ArrayParam]) -> None:
        if self.library.refused:
            some = " or ".join(self.library.needs_gradient.format(x=self.local(p.name)) for p in arrays)
            self.lines.append(f"if {self.library.refused.format(any=some)}: return OTHERWISE")

    def make(self, p: ArrayParam, beside: ArrayParam) -> None:
        if self.library.new is None:
            raise NotCompiled
        x, axes = self.local(p.name), range(len(p.dims))
        shape = f"({''.join(f'{x}_{axis}, ' for axis in axes)})"
        new = self.library.new[p.output == "zeros"]
        self.lines.append(f"{x} = {new.format(shape=shape, dtype=DTYPES[p.elem.name], x=self.local(beside.name))}")
        self.require(" or ".join(f"type({x}) is type{i}" for i in range(len(self.library.types))))
        self.lines.append(f"{x}_at = {self.library.pointer.format(x=x)}")
        if self.library.name != "numpy":
            nbytes = " * ".join([str(p.elem.size), *(f"{x}_{axis}" for axis in axes)])
            self.require(f"{x}_at or not {nbytes}")  # fake tensors have no address
            if p.name in self.alignment:
                self.require(f"{x}_at % {self.alignment[p.name]} == 0")
