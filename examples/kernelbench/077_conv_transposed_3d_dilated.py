import optigpu as og
from optigpu.schedules import tensor_convolution

s = og.Script("077_conv_transposed_3d_dilated.c")
with s.phase("one residue class of outputs for each block"):
    for loop in "ijk":
        s.loop.tile(loop, 2, outer=loop + "s", tail="guard")
    s.loop.reorder("n", "is", "i", "j", "k", "o", "js", "ks")
    s.loop.collapse("js", index="jk")
    tensor_convolution(
        s,
        rows="o",
        cols="jk",
        inner="c",
        filters="f",
        image="x",
        out="y",
        grid=["n", "is", "i", "j", "k"],
        taps=["p", "q", "r"],
        tile=(64, 128, 16),
        warp=(32, 32),
        resident=3,
        skip=[f"({i} + PAD) % STRIDE == 0" for i in "ijk"],
        vector_out=False,
    )
