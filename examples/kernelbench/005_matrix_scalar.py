import optigpu as og
from optigpu.schedules import elementwise

s = og.Script("005_matrix_scalar.c")
elementwise(s, "i")
