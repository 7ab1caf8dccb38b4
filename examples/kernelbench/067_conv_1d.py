import optigpu as og
from optigpu.schedules import contraction

s = og.Script("067_conv_1d.c")
contraction(s, rows="o", cols="i", inner="c", left="f", right="x", out="y", grid=["n"], taps=["p"], tile=(128, 128, 16))
