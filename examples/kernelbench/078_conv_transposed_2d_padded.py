import optigpu as og
from optigpu.schedules import contraction

s = og.Script("078_conv_transposed_2d_padded.c")
contraction(
    s, rows="o", cols="j", inner="c", left="f", right="x", out="y", grid=["n", "i"], taps=["p", "q"], tile=(32, 256, 16)
)
