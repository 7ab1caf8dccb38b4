"""Arrays that claim to be on a GPU."""

from __future__ import annotations

from typing import Any


class DeviceArray:
    """Host memory that says it is a GPU's, by the protocol that CuPy and others speak."""

    def __init__(self, array: Any, **changes: Any) -> None:
        self.array = array
        strides = None if array.flags.c_contiguous else array.strides
        data = (array.ctypes.data, not array.flags.writeable)
        self.__cuda_array_interface__ = {
            "shape": array.shape, "typestr": array.dtype.str, "data": data, "strides": strides, "version": 3, **changes,
        }  # fmt: skip

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.array.shape)
