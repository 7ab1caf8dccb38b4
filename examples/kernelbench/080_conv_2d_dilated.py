import optigpu as og
from optigpu.schedules import contraction

s = og.Script("080_conv_2d_dilated.c")
contraction(s, rows="o", cols="j", inner="c", left="f", right="x", out="y", grid=["n", "i"], taps=["p", "q"])
