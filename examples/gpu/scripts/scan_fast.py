"""Inclusive prefix sums for any size: one kernel sums tiles of 4096, three scan the sums, the last one scans the tiles."""

import optigpu as og
from optigpu.schedules import scan

s = og.Script("../../prefix_sums.c")
scan(s, "i", var="total", input="a", output="out")

if __name__ == "__main__":
    s.emit("build/scan_fast.cu")
