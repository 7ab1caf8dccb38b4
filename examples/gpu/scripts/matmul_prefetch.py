"""Matrix multiply as in matmul_fast.py, with the next tiles prefetched into registers while the current ones are used."""

import optigpu as og
from optigpu import For, Write

s = og.Script("matmul_prefetch.c")
s.loop.tile("i", 128, outer="bi")
s.loop.tile("i", 64, outer="hi")
s.loop.tile("i", 4, outer="ty")
s.loop.tile("j", 128, outer="bj")
s.loop.tile("j", 64, outer="hj")
s.loop.tile("j", 4, outer="tx")
s.loop.tile("k", 16, outer="bk")
s.loop.reorder("bi", "bj", "ty", "tx", "hi", "i", "hj", "j")
s.loop.reorder("bi", "bj", "bk", "ty", "tx", "k", "hi", "i", "hj", "j")
s.matrix.stage("a", at=For("bk") / For("ty"), name="ta")
s.matrix.stage("b", at=For("bk") / For("ty", body=Write("sum")), name="tb")
s.matrix.stage("ta", at=For("k") / For("hi"), name="x")
s.matrix.stage("tb", at=For("k") / For("hi", body=Write("sum")), name="y")
s.matrix.reorder_dims("ta", [1, 3, 0, 2])
s.matrix.reorder_dims("tb", [0, 2, 1, 3])
s.loop.rename(For("i", body=Write("ta")), "r")
s.loop.tile(For("k", body=Write("ta")), 4, outer="q")
s.loop.reorder("ty", "r", "q", "hi", "k", at=Write("ta"))
s.loop.tile(For("k", body=Write("tb")), 8, outer="h")
s.loop.rename(For("k", body=Write("tb")), "row")
s.loop.rename(For("hj", body=Write("tb")), "half")
s.loop.reorder("row", "half", "tx", "h", "j", at=Write("tb"))
s.matrix.stage("a", at=For("ty", body=Write("ta")), name="na")
s.matrix.stage("b", at=For("row", body=Write("tb")), name="nb")
s.matrix.reorder_dims("na", [0, 1, 3, 2, 4])
s.matrix.reorder_dims("nb", [0, 2, 3, 1, 4])
s.loop.reorder("ty", "r", "q", "hi", "k", at=Write("na"))
s.loop.reorder("row", "half", "tx", "h", "j", at=Write("nb"))
s.loop.prefetch("na", before=For("bk") / For("ty", body=Write("sum")))
s.loop.prefetch("nb", before=For("bk") / For("ty", body=Write("sum")))
s.loop.unroll_hint(For("k", body=Write("sum")))
s.gpu.launch(
    grid=["bi", "bj"],
    block=["ty", "tx", "r", "q", "row", "half"],
    shared={"ta": og.pad(1, 0), "tb": None},
    registers={"sum": 2, "na": 3, "nb": 3},
    blocks_per_multiprocessor=2,
)
s.gpu.vectorize(For("k", body=Write("na")).first)
s.gpu.vectorize(For("k", body=Write("na")).last)
s.gpu.vectorize(For("j", body=Write("nb")).first)
s.gpu.vectorize(For("j", body=Write("nb")).last)
s.gpu.vectorize(For("j", body=Write("tb")))
s.gpu.vectorize(For("i", body=Write("x")))
s.gpu.vectorize(For("j", body=Write("y")))
s.gpu.vectorize(For("j", body=Write("d_c")))

if __name__ == "__main__":
    s.emit("build/matmul_prefetch.cu")
