import optigpu as og
from optigpu.schedules import contraction

s = og.Script("071_conv_transposed_2d_wide.c")
s.loop.collapse("i", index="ij")
contraction(
    s,
    rows="o",
    cols="ij",
    inner="c",
    left="f",
    right="x",
    out="y",
    grid=["n"],
    taps=["p", "q"],
    tile=(32, 256, 16),
)
