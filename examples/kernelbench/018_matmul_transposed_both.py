import optigpu as og
from optigpu.schedules import contraction

s = og.Script("018_matmul_transposed_both.c")
contraction(s, rows="i", cols="j", inner="k", left="a", right="b", out="c", tile=(128, 128, 16), vector=["a", "b", "c"])
