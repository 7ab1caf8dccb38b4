import optigpu as og
from optigpu.schedules import elements

s = og.Script("081_conv_transposed_2d_dilated.c")
s.loop.reorder("p", "q", "c")
elements(s, "n", "o", "i", "j")
