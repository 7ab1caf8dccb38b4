import optigpu as og
from optigpu.schedules import elements

s = og.Script("015_lower_triangular_matmul.c")
elements(s, "i", "j")
