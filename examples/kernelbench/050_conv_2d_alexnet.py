import optigpu as og
from optigpu.schedules import elements

s = og.Script("050_conv_2d_alexnet.c")
elements(s, "n", "o", "i", "j")
