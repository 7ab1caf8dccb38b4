import optigpu as og
from optigpu.schedules import elements

s = og.Script("075_conv_transposed_2d_grouped.c")
s.loop.reorder("p", "q", "c")
elements(s, "n", "g", "o", "i", "j")
