import optigpu as og
from optigpu.schedules import elements

s = og.Script("093_masked_cumsum.c")
elements(s, "i")
