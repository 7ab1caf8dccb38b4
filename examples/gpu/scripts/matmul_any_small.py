"""Matrix multiply of any size, for small matrices: a block computes 64 x 64 elements, a thread 4 x 4. See matmul_any.py."""

import optigpu as og
from optigpu import For, Write

s = og.Script("../../matmul.c")
s.loop.tile("i", 64, outer="bi", tail="guard")
s.loop.tile("i", 4, outer="ty")
s.loop.tile("j", 64, outer="bj", tail="guard")
s.loop.tile("j", 4, outer="tx")
s.loop.tile("k", 16, outer="bk", tail="guard")
s.loop.reorder("bi", "bj", "ty", "tx", "i", "j")
s.loop.reorder("bi", "bj", "bk", "ty", "tx", "k", "i", "j")
s.matrix.stage("a", at=For("bk") / For("ty"), name="ta", outside=0)
s.matrix.stage("b", at=For("bk") / For("ty", body=Write("sum")), name="tb", outside=0)
s.loop.unguard(For("ty", body=Write("sum")).all)
s.matrix.stage("ta", at=For("k") / For("i"), name="x")
s.matrix.stage("tb", at=For("k") / For("i", body=Write("sum")), name="y")
s.matrix.reorder_dims("ta", [2, 0, 1])
s.loop.rename(For("i", body=Write("ta").first), "r")
s.loop.tile(For("k", body=Write("ta").first), 4, outer="q")
s.loop.rename(For("k", body=Write("tb").first), "row")
whole_a = s.loop.fast_path(For("k", body=Write("ta").first), when="p % 4 == 0")
whole_b = s.loop.fast_path(For("j", body=Write("tb").first), when="n % 4 == 0")
whole_c = s.loop.fast_path(For("j", body=Write("c")), when="n % 4 == 0")
s.loop.unroll_hint(For("k", body=Write("sum")))
s.gpu.launch(
    grid=["bi", "bj"],
    block=["ty", "tx", "r", "q", "row"],
    shared={"ta": og.pad(1, 0), "tb": None},
    registers={"sum": 2},
)
s.gpu.vectorize(whole_a, arrays=["d_a"])
s.gpu.vectorize(whole_b)
s.gpu.vectorize(whole_c)
s.gpu.vectorize(For("i", body=Write("x")))
s.gpu.vectorize(For("j", body=Write("y")))
