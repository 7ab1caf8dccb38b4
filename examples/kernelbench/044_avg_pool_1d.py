import optigpu as og
from optigpu.schedules import line_windows

s = og.Script("044_avg_pool_1d.c")
line_windows(s, "n", "c", col="i", input="x", output="y")
