import optigpu as og
from optigpu.schedules import elements

s = og.Script("048_mean_reduction.c")
elements(s, "n", "j", unroll="i")
