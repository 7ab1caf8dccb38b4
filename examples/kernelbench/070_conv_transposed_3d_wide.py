import optigpu as og
from optigpu.schedules import contraction

s = og.Script("070_conv_transposed_3d_wide.c")
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
    tile=(24, 128, 12),
)
