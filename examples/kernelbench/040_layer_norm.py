import optigpu as og
from optigpu.schedules import rows

s = og.Script("040_layer_norm.c")
rows(s, "i", loop="j", reductions=["sum", "squares"], outputs=["y"])
