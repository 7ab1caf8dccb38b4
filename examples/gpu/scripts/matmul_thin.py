"""Matrix multiply for few rows and long sums: four blocks share the summands of each tile, and a second kernel adds up theirs."""

import optigpu as og
from optigpu.schedules import matmul

s = og.Script("../../matmul.c")
matmul(s, parts=4)

if __name__ == "__main__":
    s.emit("build/matmul_thin.cu")
