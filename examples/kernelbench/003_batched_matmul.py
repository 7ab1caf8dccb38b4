import optigpu as og
from optigpu.schedules import contraction

s = og.Script("003_batched_matmul.c")
contraction(
    s,
    rows="i",
    cols="j",
    inner="k",
    left="a",
    right="b",
    out="c",
    grid=["t"],
    tile=(128, 128, 16),
    vector=["a", "b", "c"],
)
