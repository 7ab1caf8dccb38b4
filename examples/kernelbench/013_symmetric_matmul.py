import optigpu as og
from optigpu.schedules import contraction

s = og.Script("013_symmetric_matmul.c")
s.instr.replace(og.For("k"), "for (int k = 0; k < n; k++) { sum += a[i][k] * b[k][j]; }")
contraction(
    s,
    rows="i",
    cols="j",
    inner="k",
    left="a",
    right="b",
    out="c",
    tile=(128, 128, 16),
    vector=["a", "b", "c"],
)
