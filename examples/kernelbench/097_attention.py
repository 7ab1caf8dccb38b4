import optigpu as og
from optigpu import Decl, For, Write
from optigpu.schedules import rows, tensor_contraction

s = og.Script("097_attention.c")
with s.phase("softmax of rows"):
    s.instr.replace(For("j", body=Write("total")), "for (int j = 0; j < n; j++) { total += expf(s[j] - best); }")
    s.instr.insert("for (int j = 0; j < n; j++) { s[j] = expf(s[j] - best) / total; }", before=For("c"))
    s.instr.replace(Write("sum"), "sum += s[j] * v[h][j][c];")
with s.phase("three loops"):
    s.loop.hoist_alloc("s", dest=For("h"))
    for first, number in ((For("c"), "3"), (Decl("best"), "2")):
        s.loop.fission(before=first, levels=2)
        for loop in ("h", "i"):
            s.loop.rename(For(loop).nth(1), loop + number)
    s.loop.rename(For("h3") / For("j"), "j3")
    for _ in range(3):
        s.loop.rename((For("h2") / For("j")).first, "j2")
with s.phase("three kernels"):
    tensor_contraction(
        s,
        rows="i",
        cols="j",
        inner="e",
        left="q",
        right="k",
        out="s",
        grid=["h"],
        total="dot",
        vector=["q", "k", "s"],
    )
    rows(s, "h2", "i2", loop="j2", reductions=["best", "total"], outputs=["s"], threads=128)
    tensor_contraction(
        s,
        rows="i3",
        cols="c",
        inner="j3",
        left="s",
        right="v",
        out="y",
        grid=["h3"],
        vector=["s", "v", "y"],
        name="v_",
    )
    s.gpu.stay_on_device()
