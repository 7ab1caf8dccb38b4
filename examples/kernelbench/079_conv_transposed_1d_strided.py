import optigpu as og
from optigpu.schedules import elements

s = og.Script("079_conv_transposed_1d_strided.c")
elements(s, "n", "o", "i")
