import optigpu as og
from optigpu.schedules import contraction

s = og.Script("057_conv_transposed_2d_square.c")
contraction(s, rows="o", cols="j", inner="c", left="f", right="x", out="y", grid=["n", "i"], taps=["p", "q"])
