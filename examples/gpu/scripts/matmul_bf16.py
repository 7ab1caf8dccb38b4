"""Matrix multiply of any size in bfloat16, on tensor cores, from tiles that the hardware copies while others are multiplied."""

import optigpu as og
from optigpu.schedules import matmul

s = og.Script("matmul_bf16.c")
matmul(s)

if __name__ == "__main__":
    s.emit("build/matmul_bf16.cu")
