import optigpu as og
from optigpu.schedules import contraction

s = og.Script("061_conv_transposed_3d_square.c")
contraction(
    s,
    rows="o",
    cols="k",
    inner="c",
    left="f",
    right="x",
    out="y",
    grid=["n", "i", "j"],
    taps=["p", "q", "r"],
    tile=(48, 128, 12),
)
