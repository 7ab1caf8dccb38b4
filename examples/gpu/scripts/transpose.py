"""Transpose for any size: 32 x 32 tiles through padded shared memory, four elements per thread."""

import optigpu as og
from optigpu import For, Write

s = og.Script("../../transpose.c")
s.loop.tile("x", 32, outer="bx", tail="guard")
s.loop.tile("y", 32, outer="by", tail="guard")
s.loop.reorder("by", "bx", "x", "y")
s.matrix.stage("a", at="x", name="tile")
s.loop.tile(For("y", body=Write("tile")), 8, outer="j")
s.loop.tile(For("x", body=Write("b")), 8, outer="j")
s.gpu.launch(grid=["by", "bx"], block=["y", "x"], shared={"tile": og.pad(1)})

if __name__ == "__main__":
    s.emit("build/transpose.cu")
