"""A box blur: row sums by a sliding window, the last two passes fused without the array between them, rows in parallel."""

import optigpu as og
from optigpu import For, Write

s = og.Script("blur.c")
s.reduce.slide(For("x", body=Write("rows")))
s.loop.fusion(For("y", body=Write("sums")))
s.loop.fusion(For("x", body=Write("sums")))
s.instr.replace(Write("out"), "out[y][x] = scale * t;")
s.instr.delete(Write("sums"))
s.variable.elim("sums")
s.loop.unroll_hint("v", 3)
s.loop.parallel(For("y", body=Write("rows")))
s.loop.parallel(For("y", body=Write("out")))
s.loop.simd(For("x", body=Write("out")))

if __name__ == "__main__":
    s.emit("build/blur.c")
