import optigpu as og
from optigpu.schedules import elements

s = og.Script("072_conv_transposed_3d_grouped_asymmetric.c")
s.loop.reorder("p", "q", "r", "c")
elements(s, "n", "g", "o", "i", "j", "k")
