import optigpu as og
from optigpu.schedules import tensor_contraction

s = og.Script("011_tensor4_matmul.c")
tensor_contraction(
    s, rows="l", cols="j", inner="k", left="a", right="b", out="c", grid=["t", "i"], vector=["a", "b", "c"]
)
