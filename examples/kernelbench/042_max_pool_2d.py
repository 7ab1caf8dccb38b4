import optigpu as og
from optigpu.schedules import windows

s = og.Script("042_max_pool_2d.c")
windows(s, "n", "c", row="i", col="j")
