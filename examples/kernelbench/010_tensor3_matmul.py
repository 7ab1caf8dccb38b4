import optigpu as og
from optigpu.schedules import tensor_contraction

s = og.Script("010_tensor3_matmul.c")
tensor_contraction(s, rows="i", cols="j", inner="k", left="a", right="b", out="c", grid=["t"], vector=["a", "b", "c"])
