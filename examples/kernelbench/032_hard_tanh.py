import optigpu as og
from optigpu.schedules import elementwise

s = og.Script("032_hard_tanh.c")
elementwise(s, "i")
