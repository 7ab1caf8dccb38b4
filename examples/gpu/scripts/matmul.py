"""Matrix multiply of any size: a block computes 128 x 128 elements, or 64 x 64 where there are few, from tiles in shared memory."""

import optigpu as og
from optigpu.schedules import matmul

s = og.Script("../../matmul.c")
matmul(s)

if __name__ == "__main__":
    s.emit("build/matmul.cu")
