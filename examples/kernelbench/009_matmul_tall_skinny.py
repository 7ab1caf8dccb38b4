import optigpu as og
from optigpu.schedules import elements

s = og.Script("009_matmul_tall_skinny.c")
elements(s, "i", "j")
