import optigpu as og
from optigpu.schedules import elements

s = og.Script("034_instance_norm.c")
elements(s, "n", "c")
