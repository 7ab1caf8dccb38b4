import optigpu as og
from optigpu.schedules import elements

s = og.Script("064_conv_transposed_1d.c")
elements(s, "n", "o", "i")
