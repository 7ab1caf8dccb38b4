import optigpu as og
from optigpu.schedules import tensor_convolution

s = og.Script("056_conv_2d_asymmetric.c")
tensor_convolution(s, rows="o", cols="j", inner="c", filters="f", image="x", out="y", grid=["n", "i"], taps=["p", "q"])
