import optigpu as og
from optigpu.schedules import elements

s = og.Script("007_matmul_small_k.c")
elements(s, "i", "j")
