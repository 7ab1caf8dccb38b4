import optigpu as og
from optigpu.schedules import elements

s = og.Script("080_conv_2d_dilated.c")
elements(s, "n", "o", "i", "j")
