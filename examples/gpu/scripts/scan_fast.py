"""Inclusive prefix sums for any size: one kernel sums tiles of 4096, three scan the sums, the last one scans the tiles."""

import optigpu as og
from optigpu import For, Write

s = og.Script("../../prefix_sums.c")
s.reduce.scan("i", 4096, outer="b", sums="sums", before="base", twice=True, running="before")

# the sum of each tile
s.loop.tile(For("i", body=Write("total")).first, 1024, outer="u")
s.loop.tile(For("i", body=Write("total")).first, 4, outer="t")
s.loop.rename(For("i", body=Write("total")).first, "v")
s.loop.reorder("t", "u", "v", at=Write("total").first)
s.reduce.parts(For("t"), var="total", parts="shares")
s.reduce.tree(For("t", body=Write("total")))
s.loop.fast_path(For("t") / For("u"))

# the prefix offset of each tile, as a scan in tiles of 256: their sums, their offsets, the offsets inside them
s.reduce.scan(For("b", body=Write("base")), 256, outer="g", sums="groups", before="until", twice=True)
s.reduce.scan(For("b", body=Write("base")), 1, outer="w", sums="one", before="others", twice=True)
s.reduce.parts(For("b", body=Write("before")).first, var="before", parts="some")
s.reduce.tree(For("b", body=Write("before")).first)
s.loop.tile(For("g", body=Write("until")), 256, outer="all", tail="guard")

# the scan of each tile: coalesced loads and stores through shared memory, where a thread adds up 32 elements
s.matrix.stage("a", at=For("i", body=Write("out")), name="tile")
s.variable.bind(Write("out"), "r", "base[b] + total")
s.loop.hoist("r")
s.loop.fission(before=Write("out"))
s.reduce.scan(For("i", body=Write("r")), 32, outer="x", sums="runs", before="own", twice=True)
for var in ("tile", "out"):
    s.loop.tile(For("i", body=Write(var)), 512, outer="u")
    s.loop.tile(For("i", body=Write(var)), 32, outer="row")
    s.loop.tile(For("i", body=Write(var)), 4, outer="q")
    s.loop.rename(For("i", body=Write(var)), "v")
    s.loop.reorder("row", "q", "u", "v", at=Write(var))
    s.loop.fast_path(For("row", body=Write(var)))
s.matrix.split_dim("tile", 0, 32)
s.matrix.split_dim("r", 0, 32)

s.gpu.launch(grid=["b"], block=["t"], shared=["shares"], at=For("b").first)
s.gpu.launch(grid=["g"], block=["b"], shared=["some"], at=For("g", body=Write("some")))
s.gpu.launch(grid=["all"], block=["g"])
s.gpu.launch(grid=["g"], block=["w"], shared=["one"], registers={"others": 1}, at=For("g").last)
s.gpu.launch(
    grid=["b"],
    block=["row", "q", "x"],
    shared={"tile": og.pad(1), "r": og.pad(1), "runs": None},
    registers={"own": 1},
    at=For("b").last,
)
s.gpu.stay_on_device()
s.gpu.vectorize(For("v", body=Write("part")).first)
s.gpu.vectorize(For("v", body=Write("tile")).first, arrays=["d_a"])
s.gpu.vectorize(For("v", body=Write("d_out")).first, arrays=["d_out"])

if __name__ == "__main__":
    s.emit("build/scan_fast.cu")
