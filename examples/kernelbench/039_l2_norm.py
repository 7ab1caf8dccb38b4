import optigpu as og
from optigpu.schedules import rows

s = og.Script("039_l2_norm.c")
rows(s, "i", loop="j", reductions=["squares"], outputs=["y"])
