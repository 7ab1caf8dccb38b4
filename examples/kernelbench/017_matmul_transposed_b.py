import optigpu as og
from optigpu.schedules import elements

s = og.Script("017_matmul_transposed_b.c")
elements(s, "i", "j")
