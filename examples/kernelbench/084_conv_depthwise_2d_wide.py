import optigpu as og
from optigpu.schedules import windows

s = og.Script("084_conv_depthwise_2d_wide.c")
windows(s, "n", "c", row="i", col="j")
