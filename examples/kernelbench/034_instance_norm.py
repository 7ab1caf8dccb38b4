import optigpu as og
from optigpu.schedules import rows

s = og.Script("034_instance_norm.c")
rows(s, "n", "c", loop="p", reductions=["sum", "squares"], outputs=["y"])
