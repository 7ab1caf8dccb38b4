import optigpu as og
from optigpu.schedules import contraction

s = og.Script("087_conv_pointwise_2d.c")
contraction(
    s,
    rows="o",
    cols="p",
    inner="c",
    left="f",
    right="x",
    out="y",
    grid=["n"],
    tile=(128, 128, 16),
    vector=["f", "x", "y"],
)
