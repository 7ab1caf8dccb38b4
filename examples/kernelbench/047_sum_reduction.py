import optigpu as og
from optigpu.schedules import columns

s = og.Script("047_sum_reduction.c")
columns(s, "n", "j", loop="i", var="sum", out="y")
