import optigpu as og
from optigpu.schedules import windows

s = og.Script("083_conv_depthwise_2d_column.c")
windows(s, "n", "c", row="i", col="j")
