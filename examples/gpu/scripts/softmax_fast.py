"""Softmax of rows of 16384: one block per row, kept in registers, so that memory is read once and written once."""

import optigpu as og
from optigpu import For, Write

s = og.Script("softmax_fast.c")
for var in ("x", "best", "total", "b"):
    s.loop.tile(For("j", body=Write(var)).first, 2048, outer="u")
    s.loop.tile(For("j", body=Write(var)).first, 4, outer="t")
    s.loop.rename(For("t", body=Write(var)).first / For("j"), "v")
    s.loop.reorder("t", "u", "v", at=Write(var).first)
s.matrix.split_dim("x", 0, 2048)
s.matrix.split_dim("x", 1, 4)
s.matrix.reorder_dims("x", [1, 0, 2])
for var, parts in (("best", "tops"), ("total", "shares")):
    s.reduce.parts(For("t", body=Write(var)), var=var, parts=parts)
s.reduce.tree(For("t", body=Write("total")))
s.reduce.tree(For("t", body=Write("best")))
s.gpu.launch(grid=["i"], block=["t"], shared=["tops", "shares"], registers={"x": 1})
s.gpu.vectorize(For("v", body=Write("x")).first)
s.gpu.vectorize(For("v", body=Write("d_b")))

if __name__ == "__main__":
    s.emit("build/softmax_fast.cu")
