import optigpu as og
from optigpu.schedules import contraction

s = og.Script("059_conv_3d_flat_kernel.c")
contraction(
    s,
    rows="o",
    cols="j",
    inner="q",
    left="f",
    right="x",
    out="y",
    grid=["n", "i", "k"],
    taps=["c", "r"],
    inside=["p"],
    tile=(64, 64, 3),
)
