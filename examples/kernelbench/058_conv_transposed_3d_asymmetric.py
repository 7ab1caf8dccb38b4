import optigpu as og
from optigpu.schedules import contraction

s = og.Script("058_conv_transposed_3d_asymmetric.c")
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
    tile=(16, 128, 16),
)
