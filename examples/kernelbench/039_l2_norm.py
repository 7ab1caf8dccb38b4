import optigpu as og
from optigpu.schedules import rows

s = og.Script("039_l2_norm.c")
rows(s, "i", loop="j", reductions=["squares"], inputs=["x"], outputs=["y"], threads=1024, in_flight=16)
