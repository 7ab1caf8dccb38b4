import optigpu as og
from optigpu.schedules import contraction

s = og.Script("075_conv_transposed_2d_grouped.c")
with s.phase("one residue class of outputs for each block"):
    s.loop.tile("i", 2, outer="is", tail="guard")
    s.loop.tile("j", 3, outer="js", tail="guard")
    contraction(
        s,
        rows="o",
        cols="js",
        inner="c",
        left="f",
        right="x",
        out="y",
        grid=["n", "g", "is", "i", "j"],
        taps=["p", "q"],
        tile=(16, 256, 8),
        skip=["(i + PAD_H - p * DIL_H) % STRIDE_H == 0", "(j + PAD_W - q * DIL_W) % STRIDE_W == 0"],
    )
