"""Vector addition for any size: one element per thread."""

import optigpu as og

s = og.Script("../../vector_add.c")
s.loop.tile("i", 256, outer="block", tail="guard")
s.gpu.launch(grid=["block"], block=["i"])

if __name__ == "__main__":
    s.emit("build/vector_add.cu")
