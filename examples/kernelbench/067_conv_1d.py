import optigpu as og
from optigpu.schedules import elements

s = og.Script("067_conv_1d.c")
elements(s, "n", "o", "i")
