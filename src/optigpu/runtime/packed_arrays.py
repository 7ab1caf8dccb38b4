"""Calls with arrays that are not stored as compiled code needs them: in C's order, without gaps, aligned.

Such an array is packed for the call: a copy takes its place, and is copied back after the call if the function writes it. The
copies are made by the array's library, on its current stream. Arrays of other libraries than NumPy, PyTorch and CuPy are left as
they are, and refused; beside one, nothing is packed: whether it overlaps a written array is not known here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from optigpu.light_dataclass import dataclass
from optigpu.runtime.call_error import CallError
from optigpu.runtime.signature import DTYPES, Argument, Arguments, ArrayParam, Signature
from optigpu.runtime.stored_floats import dtype_name
from optigpu.runtime.torch_tensors import is_tensor, require_no_gradient

DEVICES = "cpu", "cuda"  # of PyTorch
OVERLAP_WORK = 10_000  # steps of the search for an element that two strided arrays share


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the elements of an array are. `strides`: in bytes."""

    pointer: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    size: int  # of an element
    dtype: str
    packed: bool
    writeable: bool
    on_gpu: bool

    @property
    def bounds(self) -> tuple[int, int]:
        """The first byte and the byte after the last one."""
        if 0 in self.shape:
            return self.pointer, self.pointer
        steps = [(n - 1) * s for n, s in zip(self.shape, self.strides)]
        return self.pointer + sum(x for x in steps if x < 0), self.pointer + sum(x for x in steps if x > 0) + self.size


@dataclass(frozen=True, slots=True)
class PackedCall:
    """The arguments of a call, with packed arrays. `written`: arrays that are written, and what takes their place."""

    args: tuple[Argument, ...]
    kwargs: Arguments
    written: tuple[tuple[Any, Any], ...]

    def run(self, call: Callable[..., Argument]) -> Argument:
        result = call(*self.args, **self.kwargs)
        for array, copy in self.written:
            if is_tensor(array):
                torch = sys.modules["torch"]
                # outside of this mode PyTorch refuses to write what was made in it, an ordinary call does not
                with torch.inference_mode() if array.is_inference() else torch.no_grad():
                    array.copy_(copy)
            else:
                memory = np.asarray(array) if isinstance(array, np.ndarray) else array  # no subclass, which may convert
                memory[...] = copy
        return result


def packed_call(
    s: Signature, args: Sequence[Argument], kwargs: Arguments, alignment: Mapping[str, int]
) -> PackedCall | None:
    """The call with packed arrays; None if no array has to be packed. `alignment`: bytes, for arrays in GPU memory."""
    order = s.order_of(args, kwargs)
    given = {**dict(zip(order, args)), **kwargs}
    params = {p.name: p for p in s.params if isinstance(p, ArrayParam) and p.name in given}
    layouts = {name: x for name in params if (x := layout_of(given[name])) is not None}
    replaced = [name for name, x in layouts.items() if to_be_packed(params[name], x, alignment.get(name, 1))]
    if not replaced or any(name not in layouts and is_other_array(given[name]) for name in params):
        return None
    require_no_gradient(s.name, given.items())
    for p, q in combinations([params[n] for n in layouts], 2):
        concerned = (p.written or q.written) and not {p.name, q.name}.isdisjoint(replaced)
        if concerned and share_elements(layouts[p.name], layouts[q.name]):
            raise CallError(f"{s.name}: `{p.name}` and `{q.name}` overlap in memory")
    for name in replaced:
        if params[name].written and not has_distinct_elements(layouts[name]):
            raise CallError(f"{s.name}: `{name}` is written, and some of its elements are in the same place of memory")
    copies = {
        name: packed_copy(s.name, name, given[name], with_contents=params[name].output != "empty") for name in replaced
    }
    return PackedCall(
        (*(copies.get(name, x) for name, x in zip(order, args)), *args[len(order) :]),
        {name: copies.get(name, x) for name, x in kwargs.items()},
        tuple((given[name], copies[name]) for name in replaced if params[name].written),
    )


def is_other_array(value: object) -> bool:
    return any(hasattr(value, name) for name in ("shape", "__dlpack__", "__cuda_array_interface__"))


def to_be_packed(p: ArrayParam, x: Layout, alignment: int) -> bool:
    """Whether a copy makes an array fit. What else is wrong with it is left to the checks of the call."""
    aligned = x.pointer % (max(x.size, alignment) if x.on_gpu else x.size) == 0 or 0 in x.shape
    fits = x.dtype == DTYPES[p.elem.name] and len(x.shape) == len(p.dims) and (x.writeable or not p.written)
    return fits and not (x.packed and aligned)


def layout_of(value: object) -> Layout | None:
    """The layout of an array that can be packed; None for what cannot."""
    if isinstance(value, np.ndarray):
        flags = value.flags
        return (
            None
            if isinstance(value, np.ma.MaskedArray)
            else Layout(
                value.ctypes.data, value.shape, value.strides, value.itemsize, dtype_name(value.dtype),
                flags.c_contiguous and flags.aligned, flags.writeable, on_gpu=False,
            )
        )  # fmt: skip
    if is_tensor(value):
        return layout_of_tensor(value)
    cupy = sys.modules.get("cupy")
    if cupy is not None and isinstance(value, cupy.ndarray):
        return Layout(
            value.data.ptr, value.shape, value.strides, value.itemsize, dtype_name(value.dtype), value.flags.c_contiguous,
            writeable=True, on_gpu=True,
        )  # fmt: skip
    return None


def layout_of_tensor(tensor: Any) -> Layout | None:
    try:
        if tensor.layout is not sys.modules["torch"].strided or tensor.is_neg() or tensor.device.type not in DEVICES:
            return None
        size, pointer = tensor.element_size(), tensor.data_ptr()
        shape, strides = tuple(map(int, tensor.shape)), tuple(int(n) * size for n in tensor.stride())
    except (AttributeError, NotImplementedError, RuntimeError, TypeError, ValueError):  # fake, nested, not yet made
        return None
    if not pointer and 0 not in shape:  # its memory was given back
        return None
    dtype = str(tensor.dtype).removeprefix("torch.")
    return Layout(pointer, shape, strides, size, dtype, tensor.is_contiguous(), True, bool(tensor.is_cuda))


def packed_copy(function: str, name: str, array: Any, *, with_contents: bool) -> Any:
    try:
        return _copy(array, with_contents=with_contents)
    except (MemoryError, RuntimeError, ValueError) as e:  # a view of few elements may have a great shape
        size, why = " x ".join(map(str, array.shape)), str(e).partition("\n")[0]
        raise CallError(f"{function}: `{name}` of size {size} cannot be packed: {why}") from e


def _copy(array: Any, *, with_contents: bool) -> Any:
    if isinstance(array, np.ndarray):
        return np.array(array, order="C") if with_contents else np.empty(array.shape, array.dtype)
    if is_tensor(array):
        torch = sys.modules["torch"]
        if not with_contents:
            return torch.empty(array.shape, dtype=array.dtype, device=array.device)
        return array.clone(memory_format=torch.contiguous_format)
    cupy = sys.modules["cupy"]
    with array.device:
        return cupy.array(array, order="C") if with_contents else cupy.empty(array.shape, array.dtype)


def has_distinct_elements(x: Layout) -> bool:
    """Whether no two elements overlap; shown for arrays whose dimensions, sorted by stride, lie inside each other."""
    reach = x.size
    for stride, n in sorted((abs(s), n) for n, s in zip(x.shape, x.strides) if n != 1):
        if n == 0:
            return True
        if stride < reach:
            return False
        reach += (n - 1) * stride
    return True


def share_elements(a: Layout, b: Layout) -> bool:
    """Whether two arrays have a byte in common; also if that takes too long to find out."""
    (start, end), (first, last) = a.bounds, b.bounds
    if end <= first or last <= start or start == end or first == last:
        return False
    exact: Any = np.shares_memory  # its types know no limit of work
    try:
        return bool(exact(_addresses(a), _addresses(b), max_work=OVERLAP_WORK))
    except Exception as e:
        if type(e).__name__ != "TooHardError":  # it moved to another module in NumPy 2
            raise
        return True


class _AtAddress:
    def __init__(self, x: Layout) -> None:
        self.__array_interface__ = {
            "shape": x.shape,
            "strides": x.strides,
            "typestr": f"|V{x.size}",
            "data": (x.pointer, True),
            "version": 3,
        }


def _addresses(x: Layout) -> Any:
    """An array for computing with addresses alone: its memory, which may be that of a GPU, is not accessed."""
    return np.asarray(_AtAddress(x))
