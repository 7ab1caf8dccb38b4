import optigpu as og
from optigpu.schedules import elements

s = og.Script("092_cumsum_exclusive.c")
elements(s, "i")
