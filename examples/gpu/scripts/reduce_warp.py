"""The sum of an array: threads run grid-stride loops, warps sum their lanes by shuffles, and blocks sum their warps."""

import optigpu as og
from optigpu import For

s = og.Script("reduce.c")
s.loop.tile("i", 264 * 256, outer="k", tail="guard")
s.loop.tile("i", 256, outer="block")
s.loop.reorder("block", "i", "k")
blocks = s.reduce.parts("block", var="sum", parts="totals", part="own")
threads = s.reduce.parts(blocks.loop / For("i"), var="own", parts="shares")
s.reduce.warp(threads.combine)
registers = {"shares": 1, "other": 1}
s.gpu.launch(grid=["block"], block=["i", "w", "l"], shared=["sums"], registers=registers, at=blocks.loop)

if __name__ == "__main__":
    s.emit("build/reduce_warp.cu")
