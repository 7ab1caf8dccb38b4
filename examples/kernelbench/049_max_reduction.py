import optigpu as og
from optigpu.schedules import elements

s = og.Script("049_max_reduction.c")
elements(s, "n", "j", unroll="i")
