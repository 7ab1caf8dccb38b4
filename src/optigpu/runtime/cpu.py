"""C functions, compiled and called on NumPy arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from optigpu.runtime.arrays import in_host_memory
from optigpu.runtime.compilers import compile_c
from optigpu.runtime.outputs import one_or_all, with_outputs
from optigpu.runtime.packed_arrays import packed_call
from optigpu.runtime.signature import Argument, Arguments, ArrayParam, Signature
from optigpu.runtime.stored_floats import ENCODINGS
from optigpu.runtime.torch_operators import RegisteredFunction, registered
from optigpu.runtime.torch_tensors import note_written, require_no_gradient
from optigpu.runtime.unchecked import Unchecked
from optigpu.runtime.usual_calls import UsualCalls
from optigpu.syntax.header_macros import ATTEMPT
from optigpu.syntax.types import Scalar

CTYPES: dict[str, Any] = {
    "bool": ctypes.c_bool, "int8_t": ctypes.c_int8, "int16_t": ctypes.c_int16, "int": ctypes.c_int32, "int64_t": ctypes.c_int64,
    "uint8_t": ctypes.c_uint8, "uint16_t": ctypes.c_uint16, "unsigned": ctypes.c_uint32, "uint64_t": ctypes.c_uint64,
    "float": ctypes.c_float, "double": ctypes.c_double, "half": ctypes.c_uint16, "bf16": ctypes.c_uint16, "tf32": ctypes.c_float,
}  # fmt: skip


def ctype(t: Scalar) -> Any:
    """The type of ctypes that holds a number."""
    return CTYPES[t.name]


def argument_type(t: Scalar) -> Any:
    """What converts a number of Python's to an argument of compiled code."""
    return ENCODINGS.get(t) or ctype(t)


def argument(t: Scalar, value: float) -> Any:
    """An argument of compiled code."""
    return ENCODINGS[t].from_param(value) if t in ENCODINGS else ctype(t)(value)


def number(t: Scalar, held: Any) -> Any:
    """The number of Python's that a result is; `held`: what `ctype` holds."""
    return ENCODINGS[t].decode(held) if t in ENCODINGS else held


class CFunction:
    """A compiled C function. Call it with NumPy arrays, or others in host memory, and numbers. Sizes that follow from array shapes
    can be left out, and so can outputs, which are returned then."""

    def __init__(self, source: str, signature: Signature) -> None:
        self.source = source
        self.signature = signature
        self._open = Unchecked(signature.name)
        self._usual = UsualCalls(signature, {}, ("numpy",))
        self.path = compile_c(source)
        library = ctypes.CDLL(str(self.path))
        types = [ctypes.c_void_p if isinstance(p, ArrayParam) else argument_type(p.type) for p in signature.params]
        result = None if signature.result is None else ctype(signature.result)
        self._function: Any  # of ctypes, or `_attempted`
        try:  # by item, since attributes of the library object may hide it
            attempt = library[ATTEMPT + signature.name]
        except AttributeError:  # the function does not allocate
            self._function = library[signature.name]
            self._function.restype, self._function.argtypes = result, types
        else:
            attempt.restype = ctypes.c_char_p
            attempt.argtypes = [*types, *([] if result is None else [ctypes.c_void_p])]
            self._function = partial(self._attempted, attempt, result)

    def _attempted(self, attempt: Any, result: Any, *raw: Any) -> Any:
        """A call that raises an error if memory runs out."""
        storage = None if result is None else result()
        message = attempt(*raw, *([] if storage is None else [ctypes.addressof(storage)]))
        if message is not None:
            raise MemoryError(message.decode())
        return None if storage is None else storage.value

    def __call__(self, /, *args: Argument, **kwargs: Argument) -> Argument:
        """Run the function. Returns its number, if it has one, and the outputs that the call leaves out (docs/cuda.md, Running)."""
        usual = self._usual.passed(args, kwargs)
        if usual is not None:
            (raw, _, made, _), _ = usual
            return self.values(self._function(*raw), made)
        return self.checked_call(args, kwargs)

    def checked_call(self, args: Sequence[Argument], kwargs: Arguments) -> Argument:
        """A call with all checks interpreted, which explain what is wrong."""
        s = self.signature
        packed = packed_call(s, args, kwargs, self.aligned)
        if packed is not None:
            return packed.run(self)
        bound = s.bind(args, kwargs)
        made = with_outputs(s, bound, on_gpu=False)
        given = dict(bound)
        require_no_gradient(s.name, given.items())
        arrays = [p for p in s.params if isinstance(p, ArrayParam)]
        for p in arrays:
            bound[p.name] = in_host_memory(s.name, p.name, bound[p.name])
        self._open.say(s.check(bound))
        note_written([given[p.name] for p in arrays if p.written])
        raw = [bound[p.name].ctypes.data if isinstance(p, ArrayParam) else bound[p.name] for p in s.params]
        result = self._function(*raw)
        if all(type(given[p.name]) is np.ndarray for p in arrays):
            self._usual.learn(args, kwargs, "numpy")
        return self.values(result, [given[p.name] for p in made])

    def values(self, result: Any, made: Sequence[Argument]) -> Argument:
        t = self.signature.result
        return one_or_all([*([] if t is None else [number(t, result)]), *made])

    def register(
        self, name: str, *, backward: RegisteredFunction | None = None, names: Mapping[str, str] | None = None
    ) -> Any:
        """Make an operator of PyTorch: `op = k.register("mylib::scale")`. See `runtime/torch_operators.py`."""
        return registered(self, name, backward, names or {})

    @property
    def torch_devices(self) -> tuple[str, ...]:
        """The kinds of devices, by PyTorch's names, whose tensors it takes."""
        return ("CPU",)

    @property
    def aligned(self) -> Mapping[str, int]:
        """The bytes to which arrays must be aligned."""
        return {}

    @property
    def unchecked(self) -> tuple[str, ...]:
        """The preconditions that calls do not check; the caller is responsible for them."""
        return self.signature.unchecked()

    def __repr__(self) -> str:
        return f"<compiled {self.signature.name}({', '.join(p.name for p in self.signature.params)})>"
