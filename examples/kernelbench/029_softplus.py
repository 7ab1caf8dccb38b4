import optigpu as og
from optigpu.schedules import elementwise

s = og.Script("029_softplus.c")
elementwise(s, "i")
