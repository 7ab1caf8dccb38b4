import optigpu as og
from optigpu.schedules import elements

s = og.Script("077_conv_transposed_3d_dilated.c")
s.loop.reorder("p", "q", "r", "c")
elements(s, "n", "o", "i", "j", "k")
