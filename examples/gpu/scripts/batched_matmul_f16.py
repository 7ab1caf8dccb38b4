"""Products of batches of matrices in half precision, of any size and number."""

import optigpu as og
from optigpu.schedules import matmul

s = og.Script("batched_matmul_f16.c")
matmul(s)

if __name__ == "__main__":
    s.emit("build/batched_matmul_f16.cu")
