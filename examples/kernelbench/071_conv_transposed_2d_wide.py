import optigpu as og
from optigpu.schedules import tensor_convolution

s = og.Script("071_conv_transposed_2d_wide.c")
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
        tile=(32, 256, 16),
        warp=(32, 32),
        resident=3,
    )
