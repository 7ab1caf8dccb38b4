import optigpu as og
from optigpu.schedules import elementwise

s = og.Script("019_relu.c")
elementwise(s, "i")
