import optigpu as og
from optigpu.schedules import elementwise

s = og.Script("020_leaky_relu.c")
elementwise(s, "i")
