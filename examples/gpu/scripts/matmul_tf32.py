"""Matrix multiply of floats of any size on tensor cores, which use 10 bits of the mantissa of a factor."""

import optigpu as og
from optigpu.schedules import matmul

s = og.Script("../../matmul.c")
matmul(s, precision="tf32")

if __name__ == "__main__":
    s.emit("build/matmul_tf32.cu")
