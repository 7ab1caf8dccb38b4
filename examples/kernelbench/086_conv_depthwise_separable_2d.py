import optigpu as og
from optigpu import Decl, For
from optigpu.schedules import contraction, windows

s = og.Script("086_conv_depthwise_separable_2d.c")
with s.phase("two kernels"):
    s.variable.rename(Decl("sum").first, "part")
    for loop in ("n", "c", "i", "j"):
        s.loop.rename(For(loop).first, loop + "1")
    windows(s, "n1", "c1", row="i1", col="j1")
    contraction(
        s, rows="o", cols="j", inner="c", left="point", right="mid", out="y", grid=["n", "i"], tile=(128, 128, 8)
    )
    s.gpu.stay_on_device()
