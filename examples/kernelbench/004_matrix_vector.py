import optigpu as og
from optigpu.schedules import elements

s = og.Script("004_matrix_vector.c")
elements(s, "i")
