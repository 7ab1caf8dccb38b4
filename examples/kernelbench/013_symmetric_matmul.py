import optigpu as og
from optigpu.schedules import tensor_contraction

s = og.Script("013_symmetric_matmul.c")
s.instr.replace(og.For("k"), "for (int k = 0; k < n; k++) { sum += a[i][k] * b[k][j]; }")
tensor_contraction(s, rows="i", cols="j", inner="k", left="a", right="b", out="c", vector=["a", "b", "c"])
