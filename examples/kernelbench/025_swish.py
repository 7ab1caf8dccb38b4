import optigpu as og
from optigpu.schedules import elementwise

s = og.Script("025_swish.c")
elementwise(s, "i")
