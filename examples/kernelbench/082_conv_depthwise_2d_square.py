import optigpu as og
from optigpu.schedules import windows

s = og.Script("082_conv_depthwise_2d_square.c")
windows(s, "n", "c", row="i", col="j")
