import optigpu as og
from optigpu.schedules import elementwise

s = og.Script("026_gelu.c")
elementwise(s, "i")
