import optigpu as og
from optigpu.schedules import elements

s = og.Script("002_matmul.c")
elements(s, "i", "j")
