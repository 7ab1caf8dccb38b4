"""Softmax of rows: one block a row. Each thread adds up every 128th element and a tree adds up the threads; one thread finds the
maximum."""

import optigpu as og
from optigpu import For, Write

s = og.Script("../../softmax_rows.c")
s.loop.tile(For("j", body=Write("total")), 128, outer="k", tail="guard")
s.loop.tile(For("j", body=Write("b")), 128, outer="k", tail="guard")
s.loop.reorder("j", "k", at=Write("total"))
s.variable.local_name(For("j", body=Write("total")), var="total", local_var="part")
s.accesses.shift_var("part", factor="total", inv=True)
s.variable.bind(For("j") / Write("total"), "shares", "part")
s.loop.hoist("shares")
s.loop.fission(before=For("j") / Write("total"))
s.reduce.tree(For("j", body=Write("total")))
s.loop.rename(For("j", body=Write("best")), "m")
s.gpu.launch(grid=["i"], block=["j"], shared=["best", "total", "shares"])

if __name__ == "__main__":
    s.emit("build/softmax_rows.cu")
