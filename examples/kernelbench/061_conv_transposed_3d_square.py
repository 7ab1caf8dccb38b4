import optigpu as og
from optigpu.schedules import contraction

s = og.Script("061_conv_transposed_3d_square.c")
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
    tile=(48, 128, 12),
)
