"""The sum of an array: grid-stride loops with vector loads, a tree in each block, and a second kernel that sums the blocks."""

import optigpu as og
from optigpu.schedules import total

s = og.Script("reduce_fast.c")
total(s, "i", var="sum", result="out")

if __name__ == "__main__":
    s.emit("build/reduce_fast.cu")
