"""The arrays of outputs that a call leaves out: of the library and on the device of the arrays that it gives."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from optigpu.runtime.arrays import interface_of, is_by_dlpack, view_of
from optigpu.runtime.call_error import CallError
from optigpu.runtime.dlpack import CPU, CUDA_HOST, device_of
from optigpu.runtime.driver import DeviceArray
from optigpu.runtime.signature import DTYPES, Arguments, ArrayParam, Signature
from optigpu.runtime.stored_floats import dtype_of, new_dtype
from optigpu.runtime.torch_tensors import is_tensor


def with_outputs(signature: Signature, bound: Arguments, *, on_gpu: bool) -> tuple[ArrayParam, ...]:
    """Add new arrays for the outputs that are missing, and return these. `on_gpu`: in GPU memory where the contract says so and no
    array is given."""
    missing = signature.left_out(bound)
    if missing:
        given = next((bound[p.name] for p in signature.params if isinstance(p, ArrayParam) and p.name in bound), None)
        require_array(signature, given)
        shapes = signature.shapes_to_make(bound, missing)
        for p in missing:
            try:
                bound[p.name] = new_array(given, p, shapes[p.name], on_gpu)
            except (MemoryError, OverflowError, RuntimeError, ValueError) as e:  # too large, or no memory is left
                size = " x ".join(map(str, shapes[p.name]))
                why = str(e).partition("\n")[0]
                raise CallError(f"{signature.name}: `{p.name}` of size {size} cannot be made: {why}") from e
    return missing


def require_array(signature: Signature, given: object) -> None:
    if given is not None and view_of_kind(given) == "":
        name = next(p.name for p in signature.params if isinstance(p, ArrayParam))
        raise CallError(f"{signature.name}: `{name}` is an array, not {type(given).__name__}")


def view_of_kind(value: object) -> str:
    """The library of an array; "" for anything else."""
    cupy = sys.modules.get("cupy")
    if isinstance(value, np.ndarray):
        return "numpy"
    if is_tensor(value):
        return "torch"
    if cupy is not None and isinstance(value, cupy.ndarray):
        return "cupy"
    if is_by_dlpack(value):
        return "numpy" if device_of(value)[0] in (CPU, CUDA_HOST) else "dlpack"
    return "" if interface_of(value) is None else "array"


def new_array(beside: Any, p: ArrayParam, shape: tuple[int, ...], on_gpu: bool) -> Any:
    """Uninitialised, or zeros if the function does not write all of it."""
    dtype, zeros = DTYPES[p.elem.name], p.output == "zeros"
    match view_of_kind(beside):
        case "torch":
            torch = sys.modules["torch"]
            return (torch.zeros if zeros else torch.empty)(shape, dtype=getattr(torch, dtype), device=beside.device)
        case "cupy":
            cupy = sys.modules["cupy"]
            with beside.device:
                return (cupy.zeros if zeros else cupy.empty)(shape, new_dtype(dtype, f"`{p.name}`"))
        case "array" | "dlpack":
            return device_array(shape, dtype, zeros, device_number(beside))
        case "" if p.on_device and on_gpu:
            return device_array(shape, dtype, zeros, 0)
        case _:
            return (np.zeros if zeros else np.empty)(shape, new_dtype(dtype, f"`{p.name}`"))


def device_number(array: Any) -> int:
    if is_by_dlpack(array):
        return device_of(array)[1]
    view = view_of(array)
    return (view and view.device) or 0


def device_array(shape: tuple[int, ...], dtype: str, zeros: bool, device: int) -> DeviceArray:
    return DeviceArray.of(np.zeros(shape, dtype_of(dtype)), device) if zeros else DeviceArray(shape, dtype, device)


def one_or_all(values: Sequence[Any]) -> Any:
    """What a call returns: the function's number, then the outputs that were left out, in the order of the parameters; a thing
    itself if it is alone, None if there is none."""
    return None if not values else values[0] if len(values) == 1 else tuple(values)
