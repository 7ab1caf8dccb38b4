import optigpu as og
from optigpu.schedules import contraction

s = og.Script("077_conv_transposed_3d_dilated.c")
with s.phase("one residue class of outputs for each block"):
    for loop in "ijk":
        s.loop.tile(loop, 2, outer=loop + "s", tail="guard")
    contraction(
        s,
        rows="o",
        cols="ks",
        inner="c",
        left="f",
        right="x",
        out="y",
        grid=["n", "is", "js", "i", "j", "k"],
        taps=["p", "q", "r"],
        tile=(64, 64, 16),
        skip=[f"({i} + PAD - {p} * DIL) % STRIDE == 0" for i, p in ("ip", "jq", "kr")],
    )
