import optigpu as og
from optigpu.schedules import contraction

s = og.Script("081_conv_transposed_2d_dilated.c")
with s.phase("one residue class of outputs for each block"):
    for loop in "ij":
        s.loop.tile(loop, 5, outer=loop + "s", tail="guard")
    contraction(
        s,
        rows="o",
        cols="js",
        inner="c",
        left="f",
        right="x",
        out="y",
        grid=["n", "is", "i", "j"],
        taps=["p", "q"],
        tile=(64, 128, 16),
        skip=["(i + PAD - p * DIL) % STRIDE == 0", "(j + PAD - q * DIL) % STRIDE == 0"],
    )
