import optigpu as og
from optigpu.schedules import rows

s = og.Script("004_matrix_vector.c")
rows(s, "i", loop="k", reductions=["sum"], inputs=["a", "x"], vector=4, threads=512)
