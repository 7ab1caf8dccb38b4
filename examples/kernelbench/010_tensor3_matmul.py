import optigpu as og
from optigpu.schedules import elements

s = og.Script("010_tensor3_matmul.c")
elements(s, "t", "i", "j")
