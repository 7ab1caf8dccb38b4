import optigpu as og
from optigpu.schedules import elements

s = og.Script("047_sum_reduction.c")
elements(s, "n", "j", unroll="i")
