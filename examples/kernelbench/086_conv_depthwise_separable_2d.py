import optigpu as og
from optigpu import For
from optigpu.schedules import elements

s = og.Script("086_conv_depthwise_separable_2d.c")
for loop in ("n", "c", "i", "j"):
    s.loop.rename(For(loop).first, loop + "1")
elements(s, "n1", "c1", "i1", "j1", name="block1")
elements(s, "n", "o", "i", "j")
s.gpu.stay_on_device()
