import optigpu as og
from optigpu.schedules import contraction

s = og.Script("015_lower_triangular_matmul.c")
contraction(s, rows="i", cols="j", inner="k", left="a", right="b", out="c", tile=(128, 128, 8), vector=["a", "b", "c"])
