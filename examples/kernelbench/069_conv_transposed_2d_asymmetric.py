import optigpu as og
from optigpu.schedules import elements

s = og.Script("069_conv_transposed_2d_asymmetric.c")
elements(s, "n", "o", "i", "j")
