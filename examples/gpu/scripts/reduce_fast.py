"""The sum of an array: grid-stride loops with vector loads, a tree in each block, and a second kernel that sums the blocks."""

import optigpu as og
from optigpu import For, Write

s = og.Script("reduce_fast.c")
s.loop.tile("i", 512 * 4096, outer="k", tail="guard")
s.loop.tile("i", 4096, outer="block")
s.loop.tile("i", 1024, outer="u")
s.loop.tile("i", 4, outer="t")
s.loop.reorder("block", "t", "k", "u", "i")
s.variable.local_name("t", var="sum", local_var="part")
s.accesses.shift_var("part", factor="sum", inv=True)
s.variable.bind(For("t") / Write("sum"), "shares", "part")
s.loop.hoist("shares")
s.loop.fission(before=For("t") / Write("sum"))
s.reduce.tree(For("t", body=Write("sum")))
s.variable.bind(For("block") / Write("sum"), "total", "shares[0]")
s.loop.hoist("total")
s.loop.fission(before=For("block") / Write("sum"))
s.matrix.stage("a", at="u", name="x")  # a thread loads four vectors before it adds them
fast = s.loop.fast_path(For("u", body=Write("x")))

s.instr.move("sum", before=For("block").last)
s.loop.once("sum", until=Write("out"), index="last")
s.loop.tile(For("block", body=Write("sum")), 256, outer="q")
s.loop.rename(For("last") / For("block"), "t")
s.loop.reorder("t", "q", at=Write("sum"))
s.variable.local_name(For("last") / For("t"), var="sum", local_var="rest")
s.accesses.shift_var("rest", factor="sum", inv=True)
s.variable.bind(For("last") / For("t") / Write("sum"), "rests", "rest")
s.loop.hoist("rests")
s.loop.fission(before=For("t") / Write("sum"))
s.reduce.tree(For("t", body=Write("sum")), index="d")
s.instr.move("sum", before=Write("sum"))

s.gpu.launch(grid=["block"], block=["t"], shared=["shares"])
s.gpu.launch(grid=["last"], block=["t"], shared=["rests"])
s.gpu.stay_on_device()
s.gpu.vectorize(For("i", body=Write("x")).first)

if __name__ == "__main__":
    s.emit("build/reduce_fast.cu")
