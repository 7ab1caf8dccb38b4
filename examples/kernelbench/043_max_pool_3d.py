import optigpu as og
from optigpu.schedules import elements

s = og.Script("043_max_pool_3d.c")
elements(s, "n", "c", "i", "j", "k")
