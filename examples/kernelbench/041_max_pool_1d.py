import optigpu as og
from optigpu.schedules import line_windows

s = og.Script("041_max_pool_1d.c")
line_windows(s, "n", "c", col="i", input="x", output="y", outside="-INFINITY")
