import optigpu as og
from optigpu.schedules import rows

s = og.Script("024_log_softmax.c")
rows(s, "i", loop="j", reductions=["best", "total"], inputs=["x"], outputs=["y"], online=True, vector=4, threads=512)
