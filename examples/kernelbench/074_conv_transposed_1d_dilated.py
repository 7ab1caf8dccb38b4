import optigpu as og
from optigpu.schedules import contraction

s = og.Script("074_conv_transposed_1d_dilated.c")
contraction(s, rows="o", cols="i", inner="c", left="f", right="x", out="y", grid=["n"], taps=["p"])
