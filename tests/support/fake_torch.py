"""As much of PyTorch as calls look at: tensors "on a GPU" whose memory is NumPy's."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")


class Dtype:
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


DTYPES = {name: Dtype(name) for name in NAMES}


class Tensor:
    """`device`: the GPU's number, None for host memory."""

    def __init__(
        self,
        array: Any,
        *,
        device: int | None = 0,
        negative: bool = False,
        gradient: bool = False,
        sparse: bool = False,
        lost: bool = False,
        huge: bool = False,
    ) -> None:
        if huge and array.size:  # 2^31 elements, in the memory of one
            array = np.lib.stride_tricks.as_strided(array.reshape(-1)[:1], (2**31, *array.shape[1:]), [0] * array.ndim)
        self.lost, self.huge = lost, huge
        self.array, self.gpu, self.negative, self.requires_grad = array, device, negative, gradient
        self.layout = "sparse" if sparse else "strided"
        self.version = 0
        self.tangent: Tensor | None = None
        self.dtype = DTYPES[str(array.dtype)]
        self.device = SimpleNamespace(index=device, type="cpu" if device is None else "cuda")
        self.is_cuda = device is not None

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.array.shape)

    def is_contiguous(self) -> bool:
        return self.huge or bool(self.array.flags.c_contiguous)

    def is_neg(self) -> bool:
        return self.negative

    def get_device(self) -> int:
        return -1 if self.gpu is None else self.gpu

    def data_ptr(self) -> int:
        if self.huge and self.array.size:
            return 1 << 60  # far from everything
        return int(self.array.ctypes.data) if self.array.size and not self.lost else 0

    def detach(self) -> Tensor:
        return self

    def numpy(self) -> Any:
        return self.array


class Parameter(Tensor):
    pass


class Device:
    """`torch.cuda.device(number)`"""

    def __init__(self, number: int) -> None:
        self.number = number

    def __enter__(self) -> None:
        self.before, CURRENT[0] = CURRENT[0], self.number

    def __exit__(self, *error: object) -> None:
        CURRENT[0] = self.before


CURRENT = [0]
GRADIENTS = [True]


def stream(device: int | None = None) -> Any:
    return SimpleNamespace(cuda_stream=100 + (CURRENT[0] if device is None else device))


def empty(shape: tuple[int, ...], *, dtype: Dtype, device: Any) -> Tensor:
    return Tensor(np.empty(shape, dtype.name), device=device.index)


def zeros(shape: tuple[int, ...], *, dtype: Dtype, device: Any) -> Tensor:
    return Tensor(np.zeros(shape, dtype.name), device=device.index)


def increment_version(tensors: list[Tensor]) -> None:
    for t in tensors:
        t.version += 1


def fake_torch() -> Any:
    CURRENT[0], GRADIENTS[0] = 0, True
    cuda = SimpleNamespace(current_stream=stream, current_device=lambda: CURRENT[0], device=Device)
    graph = SimpleNamespace(increment_version=increment_version)
    forward_ad = SimpleNamespace(_current_level=-1, unpack_dual=lambda t: SimpleNamespace(tangent=t.tangent))
    return SimpleNamespace(
        Tensor=Tensor, nn=SimpleNamespace(Parameter=Parameter), cuda=cuda, strided="strided", empty=empty, zeros=zeros,
        autograd=SimpleNamespace(graph=graph, forward_ad=forward_ad), is_grad_enabled=lambda: GRADIENTS[0], **DTYPES,
    )  # fmt: skip
