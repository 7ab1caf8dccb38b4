"""Matrix multiply: a block computes 32 x 32 elements from tiles in shared memory, each thread four of them in registers."""

import optigpu as og
from optigpu import For, Write

s = og.Script("matmul.c")
s.loop.tile("i", 32, outer="bi")
s.loop.tile("j", 32, outer="bj")
s.loop.tile("k", 32, outer="bk")
s.loop.tile("i", 4, outer="y")
s.loop.reorder("bi", "bj", "y", "j", "i")
s.loop.reorder("bi", "bj", "bk", "y", "j", "k", "i")
s.matrix.stage("a", at=For("bk") / For("y"), name="ta")
s.matrix.stage("b", at=For("bk") / For("y", body=Write("sum")), name="tb")
s.loop.rename(For("k", body=Write("ta")), "j")
s.loop.tile(For("k", body=Write("tb")), 8, outer="i")
s.loop.rename(For("k", body=Write("tb")), "y")
s.gpu.launch(grid=["bi", "bj"], block=["y", "j"], shared=["ta", "tb"], registers={"sum": 2})

if __name__ == "__main__":
    s.emit("build/matmul.cu")
