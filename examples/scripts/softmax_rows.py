"""Softmax of rows: exponentials computed once, one division per row, rows in parallel."""

import optigpu as og
from optigpu import For, Write

s = og.Script("../softmax_rows.c")
s.instr.replace(For("j") / Write("total"), "b[i][j] = expf(a[i][j] - best); total += b[i][j];")
s.instr.replace((For("j") / Write("b")).last, "b[i][j] = b[i][j] / total;")
s.variable.insert("const float scale = 1.0f / total;", before=For("j").last)
s.instr.replace((For("j") / Write("b")).last, "b[i][j] *= scale;")
s.loop.simd(For("j").last)
s.loop.parallel("i")

if __name__ == "__main__":
    s.emit("build/softmax_rows.c")
