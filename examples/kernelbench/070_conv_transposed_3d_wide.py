import optigpu as og
from optigpu.schedules import contraction

s = og.Script("070_conv_transposed_3d_wide.c")
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
    taps=["p", "q", "r"],
    tile=(24, 256, 12),
)
