import optigpu as og
from optigpu.schedules import elements

s = og.Script("052_argmin.c")
elements(s, "n", "j", unroll="i")
