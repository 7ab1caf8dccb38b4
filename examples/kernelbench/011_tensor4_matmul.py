import optigpu as og
from optigpu.schedules import elements

s = og.Script("011_tensor4_matmul.c")
elements(s, "t", "i", "l", "j")
