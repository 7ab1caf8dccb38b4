import optigpu as og
from optigpu.schedules import contraction

s = og.Script("011_tensor4_matmul.c")
contraction(
    s,
    rows="l",
    cols="j",
    inner="k",
    left="a",
    right="b",
    out="c",
    grid=["t", "i"],
    tile=(128, 128, 16),
    vector=["a", "b", "c"],
)
