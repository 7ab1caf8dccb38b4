import optigpu as og
from optigpu.schedules import contraction

s = og.Script("072_conv_transposed_3d_grouped_asymmetric.c")
with s.phase("one residue class of outputs for each block"):
    for loop in "ijk":
        s.loop.tile(loop, 2, outer=loop + "s")
    s.loop.reorder("n", "g", "o", "is", "i", "j", "k", "js", "ks")
    s.loop.collapse("js", index="jks")
    contraction(
        s,
        rows="o",
        cols="jks",
        inner="c",
        left="f",
        right="x",
        out="y",
        grid=["n", "g", "is", "i", "j", "k"],
        taps=["p", "q", "r"],
        tile=(8, 512, 8),
        skip=[f"({i} + PAD_{side} - {p}) % STRIDE == 0" for i, p, side in ("ipD", "jqH", "krW")],
    )
