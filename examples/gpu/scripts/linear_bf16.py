"""A layer of a network in bfloat16, any sizes: bias and activation are computed before the results are stored."""

import optigpu as og
from optigpu.schedules import matmul

s = og.Script("linear_bf16.c")
matmul(s)

if __name__ == "__main__":
    s.emit("build/linear_bf16.cu")
