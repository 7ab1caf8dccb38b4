"""Softmax of rows of any length: short rows are kept in the registers of a block, so that memory is read once and written once."""

import optigpu as og
from optigpu.schedules import row_norm

s = og.Script("../../softmax_rows.c")
row_norm(s, "i", loop="j", reductions=["best", "total"], outputs=["b"], inputs=["a"], online=True)

if __name__ == "__main__":
    s.emit("build/softmax_fast.cu")
