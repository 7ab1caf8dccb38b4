import optigpu as og
from optigpu.schedules import elements

s = og.Script("054_conv_3d_square.c")
elements(s, "n", "o", "i", "j", "k")
