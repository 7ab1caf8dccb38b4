import optigpu as og
from optigpu.schedules import elements

s = og.Script("082_conv_depthwise_2d_square.c")
elements(s, "n", "c", "i", "j")
