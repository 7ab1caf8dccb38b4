import optigpu as og
from optigpu.schedules import elements

s = og.Script("084_conv_depthwise_2d_wide.c")
elements(s, "n", "c", "i", "j")
