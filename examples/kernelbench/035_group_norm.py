import optigpu as og
from optigpu.schedules import elements

s = og.Script("035_group_norm.c")
elements(s, "n", "g")
