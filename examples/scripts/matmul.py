"""Matrix multiply for a CPU: tiles of 8 x 64 in registers, b packed, vectors, threads."""

import optigpu as og
from optigpu import For, Write

s = og.Script("matmul.c")
s.loop.tile("i", 8, outer="bi")
s.loop.tile("j", 64, outer="bj")
s.loop.reorder("bi", "bj", "k", "i", "j")
packed = s.loop.hoist_expr(For("k") / Write("sum"), "pb", read="b", before="bi", indep=["bi", "i"])
s.loop.simd(For("i") / For("j").all)
s.loop.unroll_hint(For("bi") / For("k") / For("i"), 8)
s.loop.parallel(packed.loop)
s.loop.parallel("bi")

if __name__ == "__main__":
    s.emit("build/matmul.c")
