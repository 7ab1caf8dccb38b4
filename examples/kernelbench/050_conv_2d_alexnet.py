import optigpu as og
from optigpu.schedules import tensor_contraction

s = og.Script("050_conv_2d_alexnet.c")
s.accesses.shift_var("sum", factor="bias[o]", inv=True)
with s.phase("one sum over inputs and taps"):
    s.loop.collapse("c", levels=3, index="k")
    tensor_contraction(
        s,
        rows="o",
        cols="j",
        inner="k",
        left="f",
        right="x",
        out="y",
        grid=["n", "i"],
        tile=(96, 64, 32),
        warp=(96, 16),
        precision="tf32",
    )
