import optigpu as og
from optigpu.schedules import contraction

s = og.Script("054_conv_3d_square.c")
contraction(
    s,
    rows="o",
    cols="k",
    inner="r",
    left="f",
    right="x",
    out="y",
    grid=["n", "i", "j"],
    taps=["c"],
    inside=["p", "q"],
    tile=(64, 64, 3),
)
