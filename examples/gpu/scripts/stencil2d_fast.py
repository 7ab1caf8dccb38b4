"""A five-point stencil for any size: a thread computes four rows of one column; interior blocks run without guards."""

import optigpu as og
from optigpu.schedules import windows

s = og.Script("stencil2d.c")
windows(s, row="y", col="x", rows=4)

if __name__ == "__main__":
    s.emit("build/stencil2d_fast.cu")
