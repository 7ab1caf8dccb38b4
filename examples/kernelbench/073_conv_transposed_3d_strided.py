import optigpu as og
from optigpu.schedules import elements

s = og.Script("073_conv_transposed_3d_strided.c")
s.loop.reorder("p", "q", "r", "c")
elements(s, "n", "o", "i", "j", "k")
