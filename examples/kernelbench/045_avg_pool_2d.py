import optigpu as og
from optigpu.schedules import elements

s = og.Script("045_avg_pool_2d.c")
elements(s, "n", "c", "i", "j", threads=192)
