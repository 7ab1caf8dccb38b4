"""Layer norm of rows of any length: short rows are kept in the registers of a block, so that memory is read once."""

import optigpu as og
from optigpu.schedules import row_norm

s = og.Script("layer_norm.c")
row_norm(s, "i", loop="j", reductions=["sum", "squares"], outputs=["y"], inputs=["x"])

if __name__ == "__main__":
    s.emit("build/layer_norm.cu")
