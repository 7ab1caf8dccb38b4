"""Listing 2.3: the script that turns Listing 2.1 into Listing 2.2, step for step."""

import optigpu as og
from optigpu import For, Write

RESULT = "listing_2_2.c"

s = og.Script("listing_2_1.c")
s.loop.tile("i", 128, outer="bi", tail="divides")
s.variable.local_name("bi", var="sum", local_var="psums")
s.accesses.shift_var("psums", factor="sum", inv=True)
s.loop.hoist("psums")
s.loop.fission(before=For("bi") / Write("sum"))
s.loop.parallel(For("bi", body=For("i")))

if __name__ == "__main__":
    s.emit("build/listing_2_2.c")
