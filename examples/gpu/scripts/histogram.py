"""A histogram by atomic additions: one thread a key."""

import optigpu as og
from optigpu import For, Write

s = og.Script("../../histogram.c")
s.reduce.atomic(For("i") / Write("counts"))
s.loop.tile("i", 256, outer="block", tail="guard")
s.gpu.launch(grid=["block"], block=["i"])

if __name__ == "__main__":
    s.emit("build/histogram.cu")
