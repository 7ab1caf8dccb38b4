import optigpu as og
from optigpu.schedules import elementwise

s = og.Script("021_sigmoid.c")
elementwise(s, "i")
