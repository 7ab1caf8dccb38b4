import optigpu as og
from optigpu.schedules import elements

s = og.Script("014_upper_triangular_matmul.c")
elements(s, "i", "j")
