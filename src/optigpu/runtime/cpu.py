"""C functions, compiled and called on NumPy arrays."""

from __future__ import annotations

import ctypes
from functools import partial
from typing import Any

import numpy as np

from optigpu.runtime.call_error import CallError
from optigpu.runtime.compilers import compile_c
from optigpu.runtime.signature import Argument, ArrayParam, ScalarParam, Signature
from optigpu.runtime.unchecked import Unchecked
from optigpu.syntax.header_macros import ATTEMPT
from optigpu.syntax.types import Scalar

CTYPES: dict[str, Any] = {
    "bool": ctypes.c_bool, "int8_t": ctypes.c_int8, "int16_t": ctypes.c_int16, "int": ctypes.c_int32, "int64_t": ctypes.c_int64,
    "uint8_t": ctypes.c_uint8, "uint16_t": ctypes.c_uint16, "unsigned": ctypes.c_uint32, "uint64_t": ctypes.c_uint64,
    "float": ctypes.c_float, "double": ctypes.c_double,
}  # fmt: skip


def ctype(t: Scalar) -> Any:
    return CTYPES[t.name]


class CFunction:
    """A compiled C function. Call it with NumPy arrays and numbers; sizes that follow from array shapes can be omitted."""

    def __init__(self, source: str, signature: Signature) -> None:
        self.source = source
        self.signature = signature
        self._open = Unchecked(signature.name)
        self.path = compile_c(source)
        library = ctypes.CDLL(str(self.path))
        types = [ctypes.c_void_p if isinstance(p, ArrayParam) else ctype(p.type) for p in signature.params]
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
        bound = self.signature.bind(args, kwargs)
        self._open.say(self.signature.check(bound))
        raw: list[float] = []
        for p in self.signature.params:
            value = bound[p.name]
            if isinstance(p, ScalarParam):
                raw.append(value)
            else:
                if not isinstance(value, np.ndarray):
                    raise CallError(f"`{p.name}` is not an array")
                raw.append(value.ctypes.data)
        return self._function(*raw)

    @property
    def unchecked(self) -> tuple[str, ...]:
        """The preconditions that calls do not check; the caller is responsible for them."""
        return self.signature.unchecked()

    def __repr__(self) -> str:
        return f"<compiled {self.signature.name}({', '.join(p.name for p in self.signature.params)})>"
