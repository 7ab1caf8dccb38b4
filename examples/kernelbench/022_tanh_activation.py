import optigpu as og
from optigpu.schedules import elementwise

s = og.Script("022_tanh_activation.c")
elementwise(s, "i")
