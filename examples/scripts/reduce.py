"""The OptiGPU thesis' Listing 2.3, step for step: from a plain sum to partial sums computed in parallel."""

import optigpu as og
from optigpu import For, Write

s = og.Script("reduce.c")
s.loop.tile("i", 128, outer="bi", tail="divides")
s.variable.local_name("bi", var="sum", local_var="psums")
s.accesses.shift_var("psums", factor="sum", inv=True)
s.loop.hoist("psums")
s.loop.fission(before=For("bi") / Write("sum"))
s.loop.parallel(For("bi", body=For("i")))

if __name__ == "__main__":
    s.emit("build/reduce.c")
