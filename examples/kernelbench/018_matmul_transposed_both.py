import optigpu as og
from optigpu.schedules import elements

s = og.Script("018_matmul_transposed_both.c")
elements(s, "i", "j")
