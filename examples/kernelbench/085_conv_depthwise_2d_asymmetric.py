import optigpu as og
from optigpu.schedules import elements

s = og.Script("085_conv_depthwise_2d_asymmetric.c")
elements(s, "n", "c", "i", "j")
