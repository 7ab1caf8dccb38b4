import optigpu as og
from optigpu.schedules import contraction

s = og.Script("060_conv_3d_asymmetric_kernel.c")
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
    tile=(64, 64, 7),
)
