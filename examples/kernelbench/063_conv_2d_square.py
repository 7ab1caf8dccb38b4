import optigpu as og
from optigpu.schedules import elements

s = og.Script("063_conv_2d_square.c")
elements(s, "n", "o", "i", "j")
