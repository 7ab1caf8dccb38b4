import optigpu as og
from optigpu.schedules import elements

s = og.Script("041_max_pool_1d.c")
elements(s, "n", "c", "i")
