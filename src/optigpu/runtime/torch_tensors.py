"""What a call must know of PyTorch: tensors without memory, gradients, versions, streams. It need not be installed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from optigpu.runtime.call_error import CallError


def is_tensor(value: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def address(tensor: Any) -> int:
    """Where the elements of a tensor are."""
    try:
        return int(tensor.data_ptr())
    except (RuntimeError, NotImplementedError) as e:  # sparse; fake, while shapes are computed; inside torch.func
        raise CallError(
            f"a tensor without memory of its own: {str(e).splitlines()[0]} (in torch.compile and torch.func use an operator "
            "made by .register)"
        ) from None


def require_no_gradient(function: str, named: Iterable[tuple[str, object]]) -> None:
    """Refuse tensors for which PyTorch would have to know a gradient."""
    torch = sys.modules.get("torch")
    if torch is None:
        return
    for name, value in named:
        if not isinstance(value, torch.Tensor):
            continue
        if has_tangent(value):
            raise CallError(
                f"{function}: `{name}` has a tangent of forward-mode differentiation, which this call would lose: give its "
                "primal (torch.autograd.forward_ad.unpack_dual)"
            )
        if getattr(value, "requires_grad", False) and torch.is_grad_enabled():
            raise CallError(
                f"{function}: `{name}` requires a gradient, which this call would lose: make an operator of the function with "
                ".register(…, backward=…), or call it under torch.no_grad()"
            )


def has_tangent(tensor: Any) -> bool:
    """Whether a tensor carries a derivative of forward-mode differentiation (torch.func.jvp, forward_ad.make_dual)."""
    forward_ad = getattr(getattr(sys.modules.get("torch"), "autograd", None), "forward_ad", None)
    if forward_ad is None or getattr(forward_ad, "_current_level", 0) < 0:  # it is on within a level only
        return False
    return forward_ad.unpack_dual(tensor).tangent is not None


def version_counter() -> Callable[[Sequence[Any]], None] | None:
    """PyTorch's `increment_version`, by which autograd notices that a tensor was written."""
    torch = sys.modules.get("torch")
    graph = getattr(getattr(torch, "autograd", None), "graph", None)
    quick: Callable[[Sequence[Any]], None] | None = getattr(getattr(torch, "_C", None), "_increment_version", None)
    return quick if quick is not None else getattr(graph, "increment_version", None)


def note_written(arrays: Sequence[Any]) -> None:
    """Tell PyTorch that these tensors are written."""
    tensors = [x for x in arrays if is_tensor(x)]
    if tensors:
        count = version_counter()
        if count is not None:
            count(tensors)


def stream_of_device(torch: Any) -> Callable[[int], int]:
    """From a GPU's number to the handle of PyTorch's current stream there."""
    quick: Callable[[int], int] | None = getattr(getattr(torch, "_C", None), "_cuda_getCurrentRawStream", None)
    if quick is not None:
        return quick
    return lambda device: int(torch.cuda.current_stream(device).cuda_stream)


def number_of_current_device(torch: Any) -> Callable[[], int]:
    quick: Callable[[], int] | None = getattr(getattr(torch, "_C", None), "_cuda_getDevice", None)
    return quick if quick is not None else torch.cuda.current_device
