import optigpu as og
from optigpu.schedules import elements

s = og.Script("083_conv_depthwise_2d_column.c")
elements(s, "n", "c", "i", "j")
