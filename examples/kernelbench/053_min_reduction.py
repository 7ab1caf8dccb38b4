import optigpu as og
from optigpu.schedules import elements

s = og.Script("053_min_reduction.c")
elements(s, "n", "j", unroll="i")
