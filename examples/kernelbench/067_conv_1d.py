import optigpu as og
from optigpu.schedules import tensor_convolution

s = og.Script("067_conv_1d.c")
tensor_convolution(s, rows="o", cols="i", inner="c", filters="f", image="x", out="y", grid=["n"], taps=["p"])
