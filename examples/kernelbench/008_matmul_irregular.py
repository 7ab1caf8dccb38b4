import optigpu as og
from optigpu.schedules import tensor_contraction

s = og.Script("008_matmul_irregular.c")
tensor_contraction(s, rows="i", cols="j", inner="k", left="a", right="b", out="c", vector=["a", "b", "c"])
