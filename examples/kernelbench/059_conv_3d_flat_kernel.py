import optigpu as og
from optigpu.schedules import contraction

s = og.Script("059_conv_3d_flat_kernel.c")
s.loop.collapse("j", index="jk")
contraction(
    s,
    rows="o",
    cols="jk",
    inner="c",
    left="f",
    right="x",
    out="y",
    grid=["n", "i"],
    inside=["p", "q", "r"],
    tile=(64, 64, 3),
)
