"""The sum of an array: threads run grid-stride loops, each block reduces its threads by a tree, and the host adds up the blocks."""

import optigpu as og
from optigpu import For, Write

s = og.Script("reduce.c")
s.loop.tile("i", 264 * 256, outer="k", tail="guard")
s.loop.tile("i", 256, outer="block")
s.loop.reorder("block", "i", "k")
blocks = s.reduce.parts("block", var="sum", parts="total", part="own")
threads = s.reduce.parts(blocks.loop / For("i"), var="own", parts="shares")
s.reduce.tree(threads.combine)
s.gpu.launch(grid=["block"], block=["i"], shared=["shares"], at=blocks.loop)

if __name__ == "__main__":
    s.emit("build/reduce.cu")
