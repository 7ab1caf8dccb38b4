import optigpu as og
from optigpu.schedules import contraction

s = og.Script("066_conv_3d_asymmetric.c")
contraction(
    s,
    rows="o",
    cols="k",
    inner="r",
    left="f",
    right="x",
    out="y",
    grid=["n", "i", "j"],
    taps=["c", "p"],
    inside=["q"],
    tile=(64, 128, 8),
)
