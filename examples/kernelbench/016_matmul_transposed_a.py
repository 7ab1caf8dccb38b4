import optigpu as og
from optigpu.schedules import elements

s = og.Script("016_matmul_transposed_a.c")
elements(s, "i", "j")
