import optigpu as og
from optigpu.schedules import tensor_convolution

s = og.Script("070_conv_transposed_3d_wide.c")
with s.phase("pixels of a plane as columns"):
    s.loop.collapse("j", index="jk")
    tensor_convolution(
        s,
        rows="o",
        cols="jk",
        inner="c",
        filters="f",
        image="x",
        out="y",
        grid=["n", "i"],
        taps=["p", "q", "r"],
        tile=(32, 256, 16),
        warp=(32, 32),
        resident=3,
    )
