import optigpu as og
from optigpu.schedules import elements

s = og.Script("001_square_matmul.c")
elements(s, "i", "j")
