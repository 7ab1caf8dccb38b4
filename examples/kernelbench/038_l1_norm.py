import optigpu as og
from optigpu.schedules import rows

s = og.Script("038_l1_norm.c")
rows(s, "i", loop="j", reductions=["sum"], inputs=["x"], outputs=["y"], threads=1024, in_flight=16)
