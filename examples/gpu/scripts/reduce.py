"""The sum of an array: threads run grid-stride loops, each block reduces its threads by a tree, and the host adds up the blocks."""

import optigpu as og
from optigpu import For, Write

s = og.Script("reduce.c")
s.loop.tile("i", 264 * 256, outer="k", tail="guard")
s.loop.tile("i", 256, outer="block")
s.loop.reorder("block", "i", "k")
s.variable.local_name("i", var="sum", local_var="part")
s.accesses.shift_var("part", factor="sum", inv=True)
s.variable.bind(For("i") / Write("sum"), "shares", "part")
s.loop.hoist("shares")
s.loop.fission(before=For("i") / Write("sum"))
s.reduce.tree(For("i", body=Write("sum")))
s.variable.bind(For("block") / Write("sum"), "total", "shares[0]")
s.loop.hoist("total")
s.loop.fission(before=For("block") / Write("sum"))
s.gpu.launch(grid=["block"], block=["i"], shared=["shares"], at=For("block").first)

if __name__ == "__main__":
    s.emit("build/reduce.cu")
