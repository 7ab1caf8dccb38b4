import optigpu as og
from optigpu.schedules import elements

s = og.Script("006_matmul_large_k.c")
elements(s, "i", "j")
