"""The call signature of a function, from its C signature and contract: binding and checking of arguments."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeAlias

import numpy as np

from optigpu.light_dataclass import dataclass
from optigpu.runtime.arrays import ArrayBuffer, shape_of
from optigpu.runtime.call_error import CallError
from optigpu.runtime.claims import (
    Requirement,
    arrays_to_write,
    contents,
    contents_of,
    described_arrays,
    extent,
    output_of,
    reach_of,
)
from optigpu.runtime.preconditions import ArrayContents, decidable, holds, integer_value
from optigpu.runtime.stored_floats import BFLOAT16, ROUNDING, dtype_name, is_bfloat16
from optigpu.syntax.builtins import INT_CONSTANTS
from optigpu.syntax.exprs import Array, Binary, Expr, Type, TypeOf, Var
from optigpu.syntax.float_formats import FORMATS
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.parameter_sizes import claimed_sizes, mathematical_size, size_preconditions
from optigpu.syntax.printer import print_expr
from optigpu.syntax.program import Function
from optigpu.syntax.types import VOID, Kind, Scalar, Space
from optigpu.syntax.unfolding import unfolded, visible_definitions

Argument: TypeAlias = Any  # of a call: a number, or an array of NumPy, PyTorch or CuPy
Arguments: TypeAlias = dict[str, Argument]  # by parameter
DTYPES: dict[str, str] = {
    "bool": "bool", "int8_t": "int8", "int16_t": "int16", "int": "int32", "int64_t": "int64", "uint8_t": "uint8",
    "uint16_t": "uint16", "unsigned": "uint32", "uint64_t": "uint64",
    **{t.name: f.in_arrays for t, f in FORMATS.items()},
}  # fmt: skip

MAX_EXTENT = 1 << 63


@dataclass(frozen=True, slots=True)
class ArrayParam:
    name: str
    elem: Scalar
    dims: tuple[Expr | None, ...]
    written: bool
    on_device: bool = False  # the contract puts it into GPU memory
    output: str = (
        ""  # a call may leave it out: "empty" if all of it is written and nothing read, "zeros" if a part is written
    )


@dataclass(frozen=True, slots=True)
class ScalarParam:
    name: str
    type: Scalar
    number: bool = False  # the contract mentions it; then a float must be finite


@dataclass(frozen=True, slots=True)
class Signature:
    name: str
    params: tuple[ArrayParam | ScalarParam, ...]
    result: Scalar | None
    requirements: tuple[Requirement, ...]
    models: tuple[tuple[str, str], ...]  # (logical function, array it describes): `a ~> Matrix1(n, A)`
    reach: tuple[Requirement, ...] = ()  # arrays without a declared size have the cells of the contract

    def bind(self, args: Sequence[Argument], kwargs: Arguments) -> Arguments:
        """Arguments by name; outputs may be missing. They are given by keyword, or in order: all of them, or without the sizes that
        follow from array shapes, or without these and the outputs."""
        names = [p.name for p in self.params]
        if len(args) > len(names):
            raise CallError(
                f"{self.name} takes {len(names)} arguments ({', '.join(names)}), but {len(args)} were given"
            )
        bound: Arguments = dict(zip(self.order_of(args, kwargs), args))
        for key, value in kwargs.items():
            if key not in names:
                raise CallError(f"{self.name} has no parameter `{key}` (it has {', '.join(names)})")
            if key in bound:
                raise CallError(f"{self.name}: `{key}` is given twice")
            bound[key] = value
        self.infer_sizes(bound)
        missing = [p.name for p in self.params if p.name not in bound and not (isinstance(p, ArrayParam) and p.output)]
        if missing:
            for p in self.params:
                if isinstance(p, ArrayParam) and p.name in bound:  # a wrong rank is why a size is missing
                    shape = shape_of(bound[p.name])
                    if shape is None:
                        raise CallError(f"{self.name}: `{p.name}` is an array, not {kind_of(bound[p.name])}")
                    self.rank(p, shape)
            outputs = {p.name for p in self.params if isinstance(p, ArrayParam) and p.output}
            wanted = [n for n in missing if n not in self.inferable_sizes(without=outputs)] or missing
            raise CallError(f"{self.name} needs {', '.join(f'`{n}`' for n in wanted)}")
        return bound

    def order_of(self, args: Sequence[Argument], kwargs: Arguments) -> tuple[str, ...]:
        """The parameters that positional arguments are for: the first of the orders that the call completes, with numbers and
        arrays in their places."""
        for order in self.orders():
            complete = {*order} <= {*order[: len(args)], *kwargs} and len(args) <= len(order)
            if complete and all(is_number(value) != self.is_array(name) for name, value in zip(order, args)):
                return order
        names, short, *_ = self.orders()
        complete = len(args) > len(short) or {*names[: len(args)], *kwargs} == {*names}
        return names if complete else short

    def orders(self) -> tuple[tuple[str, ...], ...]:
        """All parameters; without the sizes that arrays determine; without outputs and the sizes that other arrays determine;
        without outputs."""
        names = tuple(p.name for p in self.params)
        outputs = {p.name for p in self.params if isinstance(p, ArrayParam) and p.output}
        sizes, determined = self.inferable_sizes(), self.inferable_sizes(without=outputs)
        return (
            names,
            tuple(n for n in names if n not in sizes),
            tuple(n for n in names if n not in determined | outputs),
            tuple(n for n in names if n not in outputs),
        )

    def is_array(self, name: str) -> bool:
        return any(p.name == name and isinstance(p, ArrayParam) for p in self.params)

    def left_out(self, bound: Arguments) -> tuple[ArrayParam, ...]:
        """The outputs that a call does not give."""
        return tuple(p for p in self.params if isinstance(p, ArrayParam) and p.name not in bound)

    def shapes_to_make(self, bound: Arguments, missing: Sequence[ArrayParam]) -> dict[str, tuple[int, ...]]:
        """The shapes of outputs that a call leaves out. Numbers are checked before."""
        scalars = {p.name: self.scalar(p, bound[p.name]) for p in self.params if isinstance(p, ScalarParam)}
        self.facts(scalars)
        out: dict[str, tuple[int, ...]] = {}
        for p in missing:
            sizes = [None if d is None else integer_value(d, scalars) for d in p.dims]
            for d, size in zip(p.dims, sizes):
                if size is None or size < 0 or size >= MAX_EXTENT:
                    what = "cannot be computed" if size is None else f"= {size} is no size"
                    raise CallError(f"{self.name}: the size {d and print_expr(d)} of `{p.name}` {what}")
            out[p.name] = tuple(n for n in sizes if n is not None)
        return out

    def described(self) -> set[str]:
        """The names in facts that stand for contents of arrays."""
        arrays = {contents(p.name) for p in self.params if isinstance(p, ArrayParam)}
        return arrays | {logic for logic, _ in self.models}

    def inferable_sizes(self, without: AbstractSet[str] = frozenset()) -> set[str]:
        """Integer parameters that are a dimension of an array."""
        integers = {p.name for p in self.params if isinstance(p, ScalarParam) and p.type.kind is Kind.INT}
        arrays = [p for p in self.params if isinstance(p, ArrayParam) and p.name not in without]
        return integers & {d.name for p in arrays for d in p.dims if isinstance(d, Var)}

    def infer_sizes(self, bound: Arguments, *, symbolic: bool = False) -> None:
        """Add the sizes that array shapes determine; `symbolic`: they stay as they are, not numbers maybe."""
        for p in self.params:
            if isinstance(p, ArrayParam) and p.name in bound:
                shape = shape_of(bound[p.name])
                if shape is not None and len(shape) == len(p.dims):
                    for d, n in zip(p.dims, shape):
                        if isinstance(d, Var) and d.name not in bound and d.name in self.inferable_sizes():
                            bound[d.name] = n if symbolic else self.size(p, n)

    def size(self, p: ArrayParam, n: Any) -> int:
        try:
            return int(n)
        except (AttributeError, RuntimeError, TypeError, ValueError):  # of nested tensors
            raise CallError(f"{self.name}: a size of `{p.name}` is not a number: {n}") from None

    def check(self, bound: Arguments) -> tuple[str, ...]:
        """Check types, shapes, layout, overlap and preconditions; raises CallError for the first violation. Returns the
        preconditions that could not be checked."""
        scalars: Arguments = {}
        for p in self.params:
            if isinstance(p, ScalarParam):
                scalars[p.name] = bound[p.name] = self.scalar(p, bound[p.name])
        for p in self.params:
            if isinstance(p, ArrayParam):
                self.array(p, bound[p.name], scalars)
        self.overlaps(bound)
        arrays = {p.name: ArrayContents(bound[p.name]) for p in self.params if isinstance(p, ArrayParam)}
        models = {logic: arrays[array] for logic, array in sorted(self.models, key=lambda m: arrays[m[1]].array.size)}
        known = {**models, **{contents(name): held for name, held in arrays.items()}, **scalars}
        undecided = self.facts(known)
        self.reached({p.name: bound[p.name].shape for p in self.params if isinstance(p, ArrayParam)}, known)
        return undecided

    def scalar(self, p: ScalarParam, value: Argument) -> Argument:
        if isinstance(value, np.bool_ | np.number) and not isinstance(value, np.timedelta64):
            value = value.item()
        elif isinstance(value, np.generic) and is_bfloat16(value.dtype):
            value = value.astype(np.float64).item()
        match p.type.kind:
            case Kind.BOOL:
                if not isinstance(value, bool):
                    raise CallError(f"{self.name}: `{p.name}` is a bool, not {kind_of(value)}")
                return value
            case Kind.INT:
                if isinstance(value, bool) or not isinstance(value, int):
                    raise CallError(f"{self.name}: `{p.name}` is an integer, not {kind_of(value)}")
                if not p.type.low <= value <= p.type.high:
                    raise CallError(f"{self.name}: `{p.name}` = {value} does not fit `{p.type.name}`")
                return value
            case Kind.FLOAT:
                if isinstance(value, bool) or not isinstance(value, int | float):
                    raise CallError(f"{self.name}: `{p.name}` is a number, not {kind_of(value)}")
                return self.rounded(p, value)

    def rounded(self, p: ScalarParam, value: float) -> float:
        """The float that the function gets: preconditions are checked after rounding."""
        try:
            exact = float(value)
            passed = ROUNDING[p.type](exact)
        except OverflowError:
            exact, passed = 0.0, math.inf
        if math.isinf(passed) and not math.isinf(exact):
            raise CallError(f"{self.name}: `{p.name}` does not fit `{p.type.name}`")
        if p.number and not math.isfinite(passed):
            raise CallError(
                f"{self.name}: `{p.name}` is {passed}, but the contract speaks of a number: it does not hold"
            )
        return passed

    def array(self, p: ArrayParam, value: Argument, scalars: Arguments) -> None:
        want = DTYPES[p.elem.name]
        if not isinstance(value, np.ndarray):
            raise CallError(f"{self.name}: `{p.name}` is an array of {want}, not {kind_of(value)}")
        if dtype_name(value.dtype) != want:
            astype = f".astype({want!r})" if want != BFLOAT16 else ".astype(ml_dtypes.bfloat16)"
            convert = f"convert it with {astype}, a tensor with .to(torch.{want})"
            raise CallError(f"{self.name}: `{p.name}` holds {want}, not {value.dtype} ({convert})")
        self.shape(p, tuple(value.shape), scalars)
        if p.written and not value.flags.writeable:
            raise CallError(f"{self.name}: `{p.name}` is written, but the array is read-only")
        if not value.flags.c_contiguous:
            raise CallError(f"{self.name}: `{p.name}` is not contiguous (use numpy.ascontiguousarray)")
        if not value.flags.aligned:
            raise CallError(f"{self.name}: `{p.name}` does not start at a multiple of {p.elem.size} bytes (copy it)")
        if isinstance(value, np.ma.MaskedArray):
            raise CallError(f"{self.name}: `{p.name}` has a mask: some of its elements are none (use .filled())")
        if p.elem.kind is Kind.BOOL and np.any(value.view(np.uint8) > 1):
            raise CallError(
                f"{self.name}: `{p.name}` has bytes that are neither 0 nor 1 (convert it with .astype(bool))"
            )

    def check_views(self, bound: Arguments, views: Mapping[str, ArrayBuffer]) -> tuple[str, ...]:
        """`check` for device arrays: their contents are not read, so preconditions about them stay unchecked."""
        scalars: Arguments = {}
        for p in self.params:
            if isinstance(p, ScalarParam):
                scalars[p.name] = bound[p.name] = self.scalar(p, bound[p.name])
        arrays = [p for p in self.params if isinstance(p, ArrayParam)]
        for p in arrays:
            view, want = views[p.name], DTYPES[p.elem.name]
            if view.dtype != want:
                raise CallError(f"{self.name}: `{p.name}` holds {want}, not {view.dtype}")
            self.shape(p, view.shape, scalars)
            if p.written and not view.writeable:
                raise CallError(f"{self.name}: `{p.name}` is written, but the array is read-only")
            if not view.contiguous:
                raise CallError(
                    f"{self.name}: `{p.name}` is not contiguous (make it so with .contiguous() or cupy.ascontiguousarray)"
                )
            if view.pointer % p.elem.size:
                raise CallError(
                    f"{self.name}: `{p.name}` does not start at a multiple of {p.elem.size} bytes (copy it)"
                )
            if view.bytes and not view.pointer:
                raise CallError(f"{self.name}: `{p.name}` has no memory")
        for i, p in enumerate(arrays):
            for q in arrays[i + 1 :]:
                a, b = views[p.name], views[q.name]
                apart = a.pointer + a.bytes <= b.pointer or b.pointer + b.bytes <= a.pointer
                if (p.written or q.written) and not apart and a.bytes and b.bytes:
                    raise CallError(f"{self.name}: `{p.name}` and `{q.name}` overlap in memory")
        undecided = self.facts(scalars)
        self.reached({n: view.shape for n, view in views.items()}, scalars)
        return undecided

    def reached(self, shapes: Mapping[str, tuple[int, ...]], known: Arguments) -> None:
        """Check that arrays without a declared size are large enough."""
        extents = {extent(n, axis): size for n, shape in shapes.items() for axis, size in enumerate(shape)}
        for r in self.reach:
            if holds(r.prop, {**INT_CONSTANTS, **known, **extents}) is not True:
                raise CallError(f"{self.name}: the array is too small, or its size is not known: {r.text}")

    def unchecked(self, *, on_device: bool = False) -> tuple[str, ...]:
        """The preconditions that calls do not check; with `on_device`, calls on device arrays."""
        known = {p.name for p in self.params if isinstance(p, ScalarParam)} | INT_CONSTANTS.keys()
        if not on_device:
            known |= self.described()
        return tuple(dict.fromkeys(r.text for r in self.requirements if not decidable(r.prop, known)))

    def facts(self, known: Arguments) -> tuple[str, ...]:
        """Check the preconditions that these values decide. Returns the undecided ones."""
        known = {**INT_CONSTANTS, **known}
        undecided: list[str] = []
        for r in self.requirements:
            decided = holds(r.prop, known) if decidable(r.prop, known.keys()) else None
            if decided is None:
                undecided.append(r.text)
            elif not decided:
                named = {
                    n: known[n]
                    for n in sorted(free_vars(r.prop))
                    if n in known and not isinstance(known[n], ArrayContents)
                }
                values = ", ".join(f"{n} = {v}" for n, v in named.items())
                raise CallError(
                    f"{self.name}: the precondition {r.text} does not hold{f' ({values})' if values else ''}"
                )
        return tuple(dict.fromkeys(undecided))

    def rank(self, p: ArrayParam, shape: tuple[int, ...]) -> None:
        if len(shape) != len(p.dims):
            raise CallError(f"{self.name}: `{p.name}` has {len(p.dims)} dimensions, not {len(shape)}")

    def shape(self, p: ArrayParam, shape: tuple[int, ...], scalars: Arguments) -> None:
        self.rank(p, shape)
        for axis, (d, have) in enumerate(zip(p.dims, shape)):
            if d is None:
                continue  # see `reached`
            size = integer_value(d, scalars)
            if size is None:
                raise CallError(f"{self.name}: the size {print_expr(d)} of `{p.name}` cannot be computed")
            if size != have:
                axis_text = "" if len(shape) == 1 else f" in dimension {axis}"
                raise CallError(
                    f"{self.name}: `{p.name}` has size {print_expr(d)} = {size}{axis_text}, but the array has {have}"
                )

    def overlaps(self, bound: Arguments) -> None:
        arrays = [(p, bound[p.name]) for p in self.params if isinstance(p, ArrayParam)]
        for i, (p, x) in enumerate(arrays):
            for q, y in arrays[i + 1 :]:
                if (p.written or q.written) and np.may_share_memory(x, y):
                    raise CallError(f"{self.name}: `{p.name}` and `{q.name}` overlap in memory")


def is_number(value: object) -> bool:
    return isinstance(value, bool | int | float | np.generic)


def kind_of(value: object) -> str:
    return type(value).__name__


def signature_of(f: Function, types: Sequence[Type], definitions: Mapping[str, Expr] | None = None) -> Signature:
    """The signature of a checked function. `types`: effective parameter types; `definitions`: those that its contract may use."""
    spoken_of = {name for c in f.contract for i in c.items for name in free_vars(i.body)}
    written = arrays_to_write(f)
    params: list[ArrayParam | ScalarParam] = []
    for p, t in zip(f.params, types):
        if isinstance(t, Array):
            output = output_of(f, p.name, t.dims) if p.name in written else ""
            if output == "empty" and t.elem.kind is Kind.BOOL:
                output = "zeros"  # the bytes of a bool are 0 or 1, also before it is written
            dims = tuple(None if d is None else mathematical_size(d) for d in t.dims)
            params.append(ArrayParam(p.name, t.elem, dims, p.name in written, t.space is Space.GMEM, output))
        else:
            assert isinstance(t, Scalar)
            params.append(ScalarParam(p.name, t, p.name in spoken_of))
    required = [
        Requirement(print_expr(i.body), i.body)
        for c in f.contract
        if c.kind == "requires"
        for i in c.items
        if not isinstance(i.body, TypeOf)
    ]
    shapes = {d for t in types if isinstance(t, Array) for d in t.dims}  # sizes of actual arrays are not negative
    claimed = [e for e in claimed_sizes(f) if isinstance(e, Binary) and e.left not in shapes]
    required += [Requirement(print_expr(e), e) for e in (*size_preconditions(f), *claimed)]
    arrays = {p.name: p.elem for p in params if isinstance(p, ArrayParam)}
    facts = (*required, *contents_of(f, arrays))
    definitions_seen = visible_definitions(f, definitions or {})
    requirements = tuple(Requirement(r.text, unfolded(r.prop, definitions_seen)) for r in facts)
    result = None if f.result == VOID else f.result
    assert result is None or isinstance(result, Scalar)
    unsized = {p.name for p in params if isinstance(p, ArrayParam) and None in p.dims}
    return Signature(
        f.name, tuple(params), result, requirements, tuple(described_arrays(f)), tuple(reach_of(f, unsized))
    )
