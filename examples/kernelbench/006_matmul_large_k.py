import optigpu as og
from optigpu import Decl, For
from optigpu.schedules import elements, tensor_contraction

s = og.Script("006_matmul_large_k.c")
with s.phase("sums of slabs, and their sum"):
    s.loop.tile("k", 4096, outer="slab", tail="guard")
    s.reduce.parts(For("slab"), var="sum", parts="partial", part="own")
    s.instr.move(Decl("sum"), before=For("slab").last)
    s.loop.fission(before=Decl("sum"), levels=2)
    s.matrix.reorder_dims("partial", [2, 0, 1])
    for loop in ("i", "j", "slab"):
        s.loop.rename(For(loop).last, loop + "2")
    elements(s, "i2", "j2")
    tensor_contraction(
        s,
        rows="i",
        cols="j",
        inner="k",
        left="a",
        right="b",
        out="partial",
        total="own",
        grid=["slab"],
        vector=["a", "b"],
    )
    s.gpu.stay_on_device()
