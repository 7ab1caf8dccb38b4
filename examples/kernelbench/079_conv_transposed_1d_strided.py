import optigpu as og
from optigpu.schedules import contraction

s = og.Script("079_conv_transposed_1d_strided.c")
s.loop.tile("i", 2, outer="step", tail="guard")
contraction(
    s,
    rows="o",
    cols="step",
    inner="c",
    left="f",
    right="x",
    out="y",
    grid=["n", "i"],
    taps=["p"],
    tile=(64, 128, 16),
    skip=["(i + PAD - p * DIL) % STRIDE == 0"],
)
