"""A convolution with zeros around the image: a block computes 16 x 16 elements of one filter, from a window in shared memory."""

import optigpu as og
from optigpu import For, Write

s = og.Script("conv2d.c")
with s.phase("tiles"):  # verified once
    s.loop.tile("i", 16, outer="bi", tail="guard")
    s.loop.tile("j", 16, outer="bj", tail="guard")
    s.loop.reorder("o", "bi", "bj", "q", "i", "j")
s.matrix.stage("x", at=For("q") / For("i"), name="window", outside=0)  # 18 x 18 elements of one channel
s.loop.unguard(For("i", body=Write("sum")).all)
s.loop.tile(For("i", body=Write("window").first), 16, outer="ri", tail="guard")
s.loop.tile(For("j", body=Write("window").first), 16, outer="rj", tail="guard")
s.loop.reorder("ri", "rj", "i", "j", at=Write("window").first)
s.gpu.launch(grid=["o", "bi", "bj"], block=["i", "j"], shared=["window"], registers={"sum": 2})
