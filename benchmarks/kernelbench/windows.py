"""The operators of KernelBench level 1 whose elements depend on windows: pooling, convolutions and transposed convolutions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from benchmarks.kernelbench.operators import OUTPUT, Argument, Array, Operator, Sizes

Counts = tuple[int, ...]
NAMES = {1: ("l",), 2: ("h", "w"), 3: ("d", "h", "w")}


@dataclass(frozen=True)
class Window:
    """Kernel, stride, padding, dilation and padding of the output, in each dimension."""

    kernel: Counts
    stride: Counts
    pad: Counts
    dilation: Counts
    more: Counts

    @property
    def rank(self) -> int:
        return len(self.kernel)

    def offsets(self) -> Iterator[Counts]:
        return product(*map(range, self.kernel))

    def output(self, extents: Counts) -> Counts:
        return tuple(
            (n + 2 * p - d * (k - 1) - 1) // s + 1
            for n, k, s, p, d in zip(extents, self.kernel, self.stride, self.pad, self.dilation)
        )

    def transposed(self, extents: Counts) -> Counts:
        return tuple(
            (n - 1) * s - 2 * p + d * (k - 1) + o + 1
            for n, k, s, p, d, o in zip(extents, self.kernel, self.stride, self.pad, self.dilation, self.more)
        )

    def slices(self, at: Counts, outputs: Counts) -> tuple[slice, ...]:
        """Where the padded input meets an offset of the window, for all outputs."""
        return tuple(
            slice(a * d, a * d + (n - 1) * s + 1, s) for a, d, n, s in zip(at, self.dilation, outputs, self.stride)
        )


def window(
    kernel: Counts, stride: int | Counts = 1, pad: int | Counts = 0, dilation: int | Counts = 1, more: int = 0
) -> Window:
    def each(v: int | Counts) -> Counts:
        return v if isinstance(v, tuple) else (v,) * len(kernel)

    return Window(kernel, each(stride), each(pad), each(dilation), each(more))


def padded(x: Array, w: Window, value: float = 0.0) -> Array:
    around = [(0, 0)] * (x.ndim - w.rank) + [(p, p) for p in w.pad]
    return np.pad(x, around, constant_values=value)


# Pooling ----------------------------------------------------------------------------------------------------------------------


def pooled(x: Array, w: Window, average: bool) -> Array:
    outputs = w.output(x.shape[2:])
    big = padded(x, w, 0.0 if average else -np.inf)
    parts = np.stack([big[(..., *w.slices(at, outputs))] for at in w.offsets()])
    return parts.mean(axis=0) if average else parts.max(axis=0)


def pooling(name: str, shape: Counts, small: Counts, w: Window, average: bool) -> Operator:
    names = NAMES[w.rank]

    def sizes(batch: int, channels: int, *extents: int) -> Sizes:
        two = dict(zip((n + "2" for n in names), w.output(extents)))
        return {"batch": batch, "channels": channels, **dict(zip(names, extents)), **two}

    def torch(t: Any, x: Array) -> Array:
        if average:
            return getattr(t.nn.functional, f"avg_pool{w.rank}d")(x, w.kernel, w.stride, w.pad)
        return getattr(t.nn.functional, f"max_pool{w.rank}d")(x, w.kernel, w.stride, w.pad, w.dilation)

    arrays = {
        "x": Argument("batch channels " + " ".join(names)),
        "y": Argument("batch channels " + " ".join(n + "2" for n in names), OUTPUT),
    }
    wrong = ("sum +=", "sum -=") if average else ("best = fmaxf(", "best = fminf(")
    return Operator(name, arrays, sizes(*shape), (sizes(2, 3, *small),), lambda x: pooled(x, w, average), torch, wrong)


POOLING = [
    pooling("041_max_pool_1d", (64, 192, 65536), (70,), window((8,), 1, 4, 3), False),
    pooling("042_max_pool_2d", (32, 64, 512, 512), (19, 37), window((4, 4), 1, 1), False),
    pooling("043_max_pool_3d", (16, 32, 128, 128, 128), (13, 17, 21), window((3, 3, 3), 2, 1, 3), False),
    pooling("044_avg_pool_1d", (64, 128, 65536), (70,), window((8,), 1, 4), True),
    pooling("045_avg_pool_2d", (16, 64, 2048, 2048), (35, 47), window((11, 11), 11), True),
    pooling("046_avg_pool_3d", (16, 32, 128, 128, 256), (7, 9, 19), window((3, 3, 3), 2, 1), True),
]

# Convolutions: arrays have a dimension for groups where there are several ------------------------------------------------------


def convolved(x: Array, f: Array, w: Window) -> Array:
    """x: batch, groups, inputs, …; f: groups, outputs, inputs, …"""
    outputs = w.output(x.shape[3:])
    big = padded(x, w)
    y = np.zeros((x.shape[0], x.shape[1], f.shape[1], *outputs))
    for at in w.offsets():
        y += np.einsum("ngc...,goc->ngo...", big[(..., *w.slices(at, outputs))], f[(..., *at)])
    return y


def scattered(x: Array, f: Array, w: Window) -> Array:
    """The transposed convolution: each input adds its window to the output.

    x: batch, groups, inputs, …; f: groups, inputs, outputs, …
    """
    extents = x.shape[3:]
    outputs = w.transposed(extents)
    y = np.zeros((x.shape[0], x.shape[1], f.shape[2], *(n + 2 * p + m for n, p, m in zip(outputs, w.pad, w.more))))
    for at in w.offsets():
        y[(..., *w.slices(at, extents))] += np.einsum("ngc...,gco->ngo...", x, f[(..., *at)])
    inner = tuple(slice(p, p + n) for p, n in zip(w.pad, outputs))
    return y[(..., *inner)]


@dataclass(frozen=True)
class Layout:
    """How many dimensions before the pixels belong to groups: none, "groups" beside channels, or "depthwise"."""

    groups: str = ""

    def of(self, x: Array, f: Array) -> tuple[Array, Array]:
        """The arrays with groups."""
        if self.groups == "depthwise":
            return x[:, :, None], f[:, None, None]
        return (x, f) if self.groups else (x[:, None], f[None])


def convolution(
    name: str, shape: Counts, outputs: int, w: Window, small: Counts, *, transposed: bool = False, groups: int = 1,
    depthwise: bool = False, bias: bool = False,
) -> Operator:  # fmt: skip
    names = NAMES[w.rank]
    pixels = " ".join(names)
    layout = Layout("depthwise" if depthwise else "groups" if groups > 1 else "")

    def sizes(batch: int, inputs: int, out: int, g: int, *extents: int) -> Sizes:
        after = w.transposed(extents) if transposed else w.output(extents)
        channels = {"channels": inputs} if depthwise else {"inputs": inputs // g, "outputs": out // g}
        group = {"groups": g} if layout.groups == "groups" else {}
        return {
            "batch": batch,
            **group,
            **channels,
            **dict(zip(names, extents)),
            **dict(zip((n + "2" for n in names), after)),
        }

    around = {"": "batch {}", "groups": "batch groups {}", "depthwise": "batch channels"}[layout.groups]
    order = "inputs outputs" if transposed else "outputs inputs"
    weights = {"": order, "groups": "groups " + order, "depthwise": "channels"}[layout.groups]
    kernel = " ".join(map(str, w.kernel))
    arrays = {
        "x": Argument(f"{around.format('inputs')} {pixels}"),
        "f": Argument(f"{weights} {kernel}"),
        **({"bias": Argument("outputs")} if bias else {}),
        "y": Argument(f"{around.format('outputs')} {' '.join(n + '2' for n in names)}", OUTPUT),
    }

    def numpy(x: Array, f: Array, b: Array | None = None) -> Array:
        grouped, filters = layout.of(x, f)
        y = (scattered if transposed else convolved)(grouped, filters, w)
        if layout.groups == "depthwise":
            y = y[:, :, 0]
        elif not layout.groups:
            y = y[:, 0]
        return y if b is None else y + b.reshape(-1, *(1,) * w.rank)

    def torch(t: Any, x: Array, f: Array, b: Array | None = None) -> Array:
        count, flat, filters = 1, x, f
        if layout.groups == "groups":
            count, flat, filters = x.shape[1], x.flatten(1, 2), f.flatten(0, 1)
        elif depthwise:
            count, filters = x.shape[1], f.unsqueeze(1)
        if transposed:
            call = getattr(t.nn.functional, f"conv_transpose{w.rank}d")
            y = call(flat, filters, b, w.stride, w.pad, w.more, count, w.dilation)
        else:
            y = getattr(t.nn.functional, f"conv{w.rank}d")(flat, filters, b, w.stride, w.pad, w.dilation, count)
        return y.unflatten(1, (count, -1)) if layout.groups == "groups" else y

    return Operator(
        name,
        arrays,
        sizes(shape[0], shape[1], outputs, groups, *shape[2:]),
        (sizes(2, 3 * groups, 2 * groups, groups, *small),),
        numpy,
        torch,
        ("sum +=", "sum -="),
        tolerance=1e-4,
    )


C, T = window, True
CONVOLUTIONS = [
    convolution("050_conv_2d_alexnet", (256, 3, 224, 224), 96, C((11, 11), 4, 2), (21, 30), bias=True),
    convolution("054_conv_3d_square", (16, 3, 64, 64, 64), 64, C((3, 3, 3)), (5, 6, 19)),
    convolution("055_conv_2d_wide", (8, 64, 512, 1024), 128, C((3, 3)), (9, 35)),
    convolution("056_conv_2d_asymmetric", (8, 64, 512, 256), 128, C((5, 7)), (9, 35)),
    convolution("057_conv_transposed_2d_square", (8, 64, 1024, 1024), 64, C((3, 3)), (9, 35), transposed=T),
    convolution("058_conv_transposed_3d_asymmetric", (16, 32, 16, 32, 64), 16, C((3, 5, 7)), (5, 6, 9), transposed=T),
    convolution("059_conv_3d_flat_kernel", (16, 3, 256, 256, 10), 64, C((3, 3, 1)), (5, 6, 9)),
    convolution("060_conv_3d_asymmetric_kernel", (16, 3, 64, 64, 64), 64, C((3, 5, 7)), (5, 6, 19)),
    convolution("061_conv_transposed_3d_square", (8, 48, 64, 64, 64), 48, C((3, 3, 3)), (5, 6, 9), transposed=T),
    convolution("062_conv_2d_asymmetric_kernel", (8, 32, 512, 512), 64, C((5, 9)), (9, 35)),
    convolution("063_conv_2d_square", (16, 16, 1024, 1024), 128, C((3, 3)), (9, 35)),
    convolution("064_conv_transposed_1d", (64, 128, 65536), 128, C((3,)), (70,), transposed=T),
    convolution("065_conv_transposed_2d_asymmetric_kernel", (8, 64, 512, 512), 64, C((3, 7)), (9, 35), transposed=T),
    convolution("066_conv_3d_asymmetric", (8, 3, 16, 128, 128), 64, C((3, 5, 7)), (5, 6, 19)),
    convolution("067_conv_1d", (32, 64, 131072), 128, C((3,)), (70,)),
    convolution("068_conv_transposed_3d_asymmetric_kernel", (16, 32, 64, 64, 64), 64, C((3, 5, 5)), (5, 6, 9), transposed=T),
    convolution("069_conv_transposed_2d_asymmetric", (64, 64, 128, 256), 128, C((3, 5)), (9, 35), transposed=T),
    convolution("070_conv_transposed_3d_wide", (8, 48, 96, 96, 96), 24, C((3, 3, 3)), (5, 6, 9), transposed=T),
    convolution("071_conv_transposed_2d_wide", (8, 32, 512, 1024), 32, C((3, 3)), (9, 35), transposed=T),
    convolution("072_conv_transposed_3d_grouped_asymmetric", (8, 32, 12, 24, 48), 32, C((3, 5, 7), 2, (1, 2, 3), 1, 1), (3, 4, 7),
                transposed=T, groups=4),
    convolution("073_conv_transposed_3d_strided", (4, 32, 32, 64, 128), 32, C((3, 3, 3), 2, 1), (3, 4, 7), transposed=T),
    convolution("074_conv_transposed_1d_dilated", (32, 32, 131072), 64, C((5,), 1, 0, 3), (70,), transposed=T),
    convolution("075_conv_transposed_2d_grouped", (16, 32, 128, 256), 64, C((3, 5), (2, 3), (1, 2), (2, 1)), (5, 9), transposed=T,
                groups=4),
    convolution("076_conv_1d_dilated_strided", (64, 64, 524280), 128, C((3,), 3, 0, 4), (70,)),
    convolution("077_conv_transposed_3d_dilated", (16, 32, 16, 32, 32), 64, C((3, 3, 3), 2, 1, 2), (3, 4, 7), transposed=T),
    convolution("078_conv_transposed_2d_padded", (8, 32, 512, 1024), 32, C((3, 7), 1, (1, 3)), (9, 35), transposed=T),
    convolution("079_conv_transposed_1d_strided", (16, 32, 131072), 64, C((3,), 2, 1, 2), (70,), transposed=T),
    convolution("080_conv_2d_dilated", (8, 32, 512, 512), 64, C((5, 9), 1, (2, 4), (2, 3)), (9, 35)),
    convolution("081_conv_transposed_2d_dilated", (16, 32, 64, 128), 64, C((3, 3), 5, 1, 2), (5, 9), transposed=T),
    convolution("082_conv_depthwise_2d_square", (16, 64, 512, 512), 64, C((3, 3)), (9, 35), depthwise=T),
    convolution("083_conv_depthwise_2d_column", (64, 8, 512, 512), 8, C((3, 1)), (9, 35), depthwise=T),
    convolution("084_conv_depthwise_2d_wide", (64, 128, 256, 512), 128, C((3, 3)), (9, 35), depthwise=T),
    convolution("085_conv_depthwise_2d_asymmetric", (32, 128, 128, 256), 128, C((3, 7)), (9, 35), depthwise=T),
]  # fmt: skip


def separable(x: Array, depth: Array, point: Array) -> Array:
    w = C((3, 3), 1, 1)
    return np.einsum("oc,nc...->no...", point, convolved(x[:, :, None], depth[:, None, None], w)[:, :, 0])


def separable_torch(t: Any, x: Array, depth: Array, point: Array) -> Array:
    mid = t.nn.functional.conv2d(x, depth.unsqueeze(1), padding=1, groups=x.shape[1])
    return t.nn.functional.conv2d(mid, point[:, :, None, None])


def pointwise_torch(t: Any, x: Array, f: Array) -> Array:
    return t.nn.functional.conv2d(x.unflatten(2, (1, -1)), f[:, :, None, None]).flatten(2)


CONVOLUTIONS += [
    Operator(
        "086_conv_depthwise_separable_2d",
        {"x": Argument("batch inputs h w"), "depth": Argument("inputs 3 3"), "point": Argument("outputs inputs"),
         "y": Argument("batch outputs h w", OUTPUT)},
        {"batch": 16, "inputs": 64, "outputs": 128, "h": 512, "w": 512},
        ({"batch": 2, "inputs": 3, "outputs": 5, "h": 9, "w": 35},),
        separable,
        separable_torch,
        ("i - PAD + p;", "i + p;"),
        tolerance=1e-4,
    ),
    Operator(
        "087_conv_pointwise_2d",
        {"x": Argument("batch inputs hw"), "f": Argument("outputs inputs"), "y": Argument("batch outputs hw", OUTPUT)},
        {"batch": 16, "inputs": 64, "outputs": 128, "hw": 1024 * 1024},
        ({"batch": 2, "inputs": 3, "outputs": 5, "hw": 333},),
        lambda x, f: np.einsum("oc,ncp->nop", f, x),
        pointwise_torch,
        ("sum +=", "sum -="),
        tolerance=1e-4,
    ),
]  # fmt: skip
