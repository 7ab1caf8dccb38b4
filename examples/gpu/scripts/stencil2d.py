"""A five-point stencil for any size: a block computes 16 x 16 elements from a tile with its halo in shared memory."""

import optigpu as og
from optigpu import For, Write

s = og.Script("stencil2d.c")
s.loop.tile("y", 16, outer="by", tail="guard")
s.loop.tile("x", 16, outer="bx", tail="guard")
s.loop.reorder("by", "bx", "y", "x")
s.matrix.stage("a", at="y", name="tile")
s.loop.tile(For("y", body=Write("tile")), 16, outer="ry", tail="guard")
s.loop.tile(For("x", body=Write("tile")), 16, outer="rx", tail="guard")
s.loop.reorder("ry", "rx", "y", "x", at=Write("tile"))
s.gpu.launch(grid=["by", "bx"], block=["y", "x"], shared=["tile"])

if __name__ == "__main__":
    s.emit("build/stencil2d.cu")
