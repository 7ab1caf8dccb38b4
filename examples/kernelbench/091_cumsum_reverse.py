import optigpu as og
from optigpu.schedules import elements

s = og.Script("091_cumsum_reverse.c")
elements(s, "i")
