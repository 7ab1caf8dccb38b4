import optigpu as og
from optigpu.schedules import columns

s = og.Script("048_mean_reduction.c")
columns(s, "n", "j", loop="i", var="sum", out="y")
