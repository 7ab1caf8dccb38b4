import optigpu as og
from optigpu.schedules import elements

s = og.Script("012_diagonal_matmul.c")
elements(s, "i", "j")
