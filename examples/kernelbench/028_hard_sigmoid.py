import optigpu as og
from optigpu.schedules import elementwise

s = og.Script("028_hard_sigmoid.c")
elementwise(s, "i")
