"""Whether two runs have the same results, up to the rounding of floats in another order of operations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias
from zipfile import BadZipFile

import numpy as np

from optigpu.runtime.call_error import CallError
from optigpu.runtime.files import write_whole_bytes
from optigpu.runtime.signature import DTYPES, Arguments, ArrayParam, ScalarParam, Signature
from optigpu.runtime.stored_floats import BFLOAT16, as_doubles, dtype_of, is_bfloat16
from optigpu.syntax.types import HALF

Outputs: TypeAlias = dict[str, Any]  # NumPy arrays
ALLOWED = 2e-3  # of the greatest magnitude of an array: sums are in another order, tensor cores round their factors
ALLOWED_BFLOAT16 = 2e-2  # results are rounded to 8 bits
CHUNK = 1 << 22  # elements compared at a time


def difference(expected: Mapping[str, Any], have: Mapping[str, Any]) -> str | None:
    """The first element that differs, in words; None if there is none. All elements are compared."""
    for name, array in expected.items():
        other = have[name]
        if array.shape != other.shape:
            return f"`{name}` has another shape"
        a, b = array.reshape(-1), other.reshape(-1)
        at = _first_difference(a, b)
        if at is not None:
            index = ", ".join(str(int(i)) for i in np.unravel_index(at, array.shape)) if array.shape else ""
            return f"`{name}`{f'[{index}]' if index else ''} is {_number(b[at])} instead of {_number(a[at])}"
    return None


def _number(value: Any) -> str:
    return f"{float(value):.6g}" if value.dtype.kind == "f" else str(value)


def _first_difference(a: Any, b: Any) -> int | None:
    chunks = [slice(start, start + CHUNK) for start in range(0, len(a), CHUNK)]
    rounded = is_bfloat16(a.dtype)
    if a.dtype.kind != "f" and not rounded:
        return next((c.start + int(np.argmax(a[c] != b[c])) for c in chunks if not np.array_equal(a[c], b[c])), None)
    allowed = (ALLOWED_BFLOAT16 if rounded else ALLOWED) * max((_magnitude(_wide(a[c])) for c in chunks), default=0.0)
    for c in chunks:
        x, y = _wide(a[c]), _wide(b[c])
        finite = np.isfinite(x) & np.isfinite(y)
        with np.errstate(invalid="ignore", over="ignore"):
            wrong = np.where(finite, np.abs(x - y) > allowed, ~((x == y) | (np.isnan(x) & np.isnan(y))))
        if wrong.any():
            return c.start + int(np.argmax(wrong))
    return None


def _wide(x: Any) -> Any:
    """Numbers of 16 bits as doubles."""
    return as_doubles(x) if x.dtype.itemsize == HALF.size else x


def _magnitude(x: Any) -> float:
    return float(np.max(np.abs(x), initial=0.0, where=np.isfinite(x)))


# Small inputs, with what the plain program makes of them, as a file


def write_cases(file: Path, cases: Iterable[tuple[Arguments, Outputs]]) -> None:
    import io

    entries: dict[str, Any] = {}
    for number, (inputs, expected) in enumerate(cases):
        entries |= {f"{number}/in/{name}": np.asarray(v) for name, v in inputs.items()}
        entries |= {f"{number}/out/{name}": v for name, v in expected.items()}
    data = io.BytesIO()
    np.savez_compressed(data, **entries)
    write_whole_bytes(file, data.getvalue())


def checked_cases(file: Path, signature: Signature) -> Iterator[tuple[Arguments, Outputs]]:
    """Inputs and expected outputs, for a function of this signature."""
    scalars = {p.name for p in signature.params if isinstance(p, ScalarParam)}
    types = {p.name: DTYPES[p.elem.name] for p in signature.params if isinstance(p, ArrayParam)}
    arrays = types.keys()
    try:
        with np.load(file, allow_pickle=False) as data:
            entries = {name: data[name] for name in data.files}
    except (OSError, ValueError, EOFError, KeyError, BadZipFile) as e:
        raise CallError(f"{file} is not what `optigpu tune` writes: {e}") from None
    for number in sorted({name.split("/")[0] for name in entries}, key=int):
        inputs: Arguments = {}
        expected: Outputs = {}
        for name, value in entries.items():
            case, kind, parameter = name.split("/")
            if case == number and kind == "in":
                inputs[parameter] = value.item() if parameter in scalars else _of_type(value, types.get(parameter, ""))
            elif case == number:
                expected[parameter] = _of_type(value, types.get(parameter, ""))
        if inputs.keys() != scalars | arrays:
            raise CallError(f"{file} belongs to another program: prepare the candidates again")
        yield inputs, expected


def _of_type(array: Any, dtype: str) -> Any:
    """NumPy's files do not say that elements are bfloat16."""
    return array.view(dtype_of(dtype)) if dtype == BFLOAT16 else array
