import optigpu as og
from optigpu.schedules import contraction

s = og.Script("073_conv_transposed_3d_strided.c")
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
        tile=(32, 128, 16),
        skip=[f"({i} + PAD - {p}) % STRIDE == 0" for i, p in ("ip", "jq", "kr")],
    )
