import optigpu as og
from optigpu.schedules import elementwise

s = og.Script("027_selu.c")
elementwise(s, "i")
