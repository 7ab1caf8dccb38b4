import optigpu as og
from optigpu.schedules import elements

s = og.Script("056_conv_2d_asymmetric.c")
elements(s, "n", "o", "i", "j")
