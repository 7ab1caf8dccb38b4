import optigpu as og
from optigpu.schedules import elements

s = og.Script("044_avg_pool_1d.c")
elements(s, "n", "c", "i")
