import optigpu as og
from optigpu.schedules import contraction

s = og.Script("058_conv_transposed_3d_asymmetric.c")
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
    tile=(16, 256, 16),
)
