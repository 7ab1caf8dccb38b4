import optigpu as og
from optigpu.schedules import elements

s = og.Script("046_avg_pool_3d.c")
elements(s, "n", "c", "i", "j", "k")
