import optigpu as og
from optigpu.schedules import windows

s = og.Script("085_conv_depthwise_2d_asymmetric.c")
windows(s, "n", "c", row="i", col="j")
