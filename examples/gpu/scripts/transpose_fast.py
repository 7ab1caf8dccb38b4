"""Transpose for any size: 64 x 64 tiles through padded shared memory, sixteen elements per thread."""

import optigpu as og
from optigpu import For, Write

s = og.Script("../../transpose.c")
s.loop.tile("x", 64, outer="bx", tail="guard")
s.loop.tile("y", 64, outer="by", tail="guard")
s.loop.reorder("by", "bx", "x", "y")
s.matrix.stage("a", at="x", name="tile")
s.loop.tile(For("y", body=Write("tile")), 4, outer="j")
s.loop.tile(For("x", body=Write("b")), 4, outer="k")
s.loop.reorder("y", "x", "j", at=Write("tile"))
s.loop.reorder("x", "y", "k", at=Write("b"))
s.gpu.launch(grid=["by", "bx"], block=["y", "x"], shared={"tile": og.pad(1)})

if __name__ == "__main__":
    s.emit("build/transpose_fast.cu")
