import optigpu as og
from optigpu.schedules import tensor_convolution

s = og.Script("065_conv_transposed_2d_asymmetric_kernel.c")
with s.phase("pixels of a plane as columns"):
    s.loop.collapse("i", index="ij")
    tensor_convolution(
        s,
        rows="o",
        cols="ij",
        inner="c",
        filters="f",
        image="x",
        out="y",
        grid=["n"],
        taps=["p", "q"],
        tile=(64, 128, 16),
        warp=(32, 32),
        resident=3,
    )
