import optigpu as og
from optigpu.schedules import elementwise

s = og.Script("088_new_gelu.c")
elementwise(s, "i")
