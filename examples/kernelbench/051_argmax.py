import optigpu as og
from optigpu.schedules import elements

s = og.Script("051_argmax.c")
elements(s, "n", "j", unroll="i")
