import optigpu as og
from optigpu.schedules import column_norm

s = og.Script("036_rms_norm.c")
column_norm(s, "n", "p", loop="c", reductions=["squares"], outputs=["y"], inputs=["x"])
