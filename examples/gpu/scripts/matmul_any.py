"""Matrix multiply of any size: tiles that stick out of a and b are staged with zeros outside, so only the store has a guard.

A block computes 128 x 128 elements, a thread 8 x 8. Rows whose size is a multiple of 4 are read and written four elements at a time.
"""

import optigpu as og
from optigpu import For, Write

s = og.Script("../../matmul.c")
s.loop.tile("i", 128, outer="bi", tail="guard")
s.loop.tile("i", 64, outer="hi")
s.loop.tile("i", 4, outer="ty")
s.loop.tile("j", 128, outer="bj", tail="guard")
s.loop.tile("j", 64, outer="hj")
s.loop.tile("j", 4, outer="tx")
s.loop.tile("k", 16, outer="bk", tail="guard")
s.loop.reorder("bi", "bj", "ty", "tx", "hi", "i", "hj", "j")
s.loop.reorder("bi", "bj", "bk", "ty", "tx", "k", "hi", "i", "hj", "j")
s.matrix.stage("a", at=For("bk") / For("ty"), name="ta", outside=0)
s.matrix.stage("b", at=For("bk") / For("ty", body=Write("sum")), name="tb", outside=0)
s.loop.unguard(For("ty", body=Write("sum")).all)
s.matrix.stage("ta", at=For("k") / For("hi"), name="x")
s.matrix.stage("tb", at=For("k") / For("hi", body=Write("sum")), name="y")
s.matrix.reorder_dims("ta", [1, 3, 0, 2])
s.matrix.reorder_dims("tb", [0, 2, 1, 3])
s.loop.rename(For("i", body=Write("ta").first), "r")
s.loop.tile(For("k", body=Write("ta").first), 4, outer="q")
s.loop.reorder("ty", "r", "q", "hi", "k", at=Write("ta").first)
s.loop.tile(For("k", body=Write("tb").first), 8, outer="h")
s.loop.rename(For("k", body=Write("tb").first), "row")
s.loop.rename(For("hj", body=Write("tb").first), "half")
s.loop.reorder("row", "half", "tx", "h", "j", at=Write("tb").first)
whole_a = s.loop.fast_path(For("k", body=Write("ta").first), when="p % 4 == 0")
whole_b = s.loop.fast_path(For("j", body=Write("tb").first), when="n % 4 == 0")
whole_c = s.loop.fast_path(For("j", body=Write("c")), when="n % 4 == 0")
s.loop.unroll_hint(For("k", body=Write("sum")))
s.gpu.launch(
    grid=["bi", "bj"],
    block=["ty", "tx", "r", "q", "row", "half"],
    shared={"ta": og.pad(1, 0), "tb": None},
    registers={"sum": 2},
    blocks_per_multiprocessor=2,
)
s.gpu.vectorize(whole_a, arrays=["d_a"])
s.gpu.vectorize(whole_b)
s.gpu.vectorize(whole_c)
s.gpu.vectorize(For("i", body=Write("x")))
s.gpu.vectorize(For("j", body=Write("y")))
