"""Softmax of rows: one block per row. For maximum and sum, each thread reduces every 128th element, and a tree in shared
memory combines the threads."""

import optigpu as og
from optigpu import For, Write

s = og.Script("../../softmax_rows.c")
for var, parts, tile in (("best", "tops", "k"), ("total", "shares", "l")):
    s.loop.tile(For("j", body=Write(var)), 128, outer=tile, tail="guard")
    s.loop.reorder("j", tile, at=Write(var))
    s.reduce.parts(For("j", body=Write(var)), var=var, parts=parts)
s.loop.tile(For("j", body=Write("b")), 128, outer="m", tail="guard")
s.reduce.tree(For("j", body=Write("total")))
s.reduce.tree(For("j", body=Write("best")))
s.gpu.launch(grid=["i"], block=["j"], shared=["tops", "shares"])

if __name__ == "__main__":
    s.emit("build/softmax_rows.cu")
