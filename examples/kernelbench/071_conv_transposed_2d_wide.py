import optigpu as og
from optigpu.schedules import elements

s = og.Script("071_conv_transposed_2d_wide.c")
elements(s, "n", "o", "i", "j")
