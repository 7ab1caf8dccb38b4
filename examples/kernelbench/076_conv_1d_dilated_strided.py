import optigpu as og
from optigpu.schedules import contraction

s = og.Script("076_conv_1d_dilated_strided.c")
contraction(s, rows="o", cols="i", inner="c", left="f", right="x", out="y", grid=["n"], taps=["p"], tile=(128, 128, 16))
