import optigpu as og
from optigpu.schedules import contraction

s = og.Script("050_conv_2d_alexnet.c")
s.accesses.shift_var("sum", factor="bias[o]", inv=True)
contraction(
    s,
    rows="o",
    cols="j",
    inner="q",
    left="f",
    right="x",
    out="y",
    grid=["n", "i"],
    taps=["c", "p"],
    tile=(96, 64, 12),
)
