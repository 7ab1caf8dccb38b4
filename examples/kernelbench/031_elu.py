import optigpu as og
from optigpu.schedules import elementwise

s = og.Script("031_elu.c")
elementwise(s, "i")
