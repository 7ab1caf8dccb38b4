"""The sum of an array: each thread adds up vectors in grid strides, each block sums its threads by a tree, a second kernel the blocks."""

import optigpu as og
from optigpu import For, Write

s = og.Script("reduce_fast.c")
s.loop.tile("i", 528 * 4096, outer="k", tail="guard")
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
fast = s.loop.fast_path("u")
