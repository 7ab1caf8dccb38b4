"""Vector addition for any size: four elements per thread by vector accesses, the last ones one by one."""

import optigpu as og

s = og.Script("../../vector_add.c")
s.loop.tile("i", 1024, outer="block", tail="guard")
s.loop.tile("i", 4, outer="t")
fast = s.loop.fast_path("i")
s.gpu.launch(grid=["block"], block=["t"])
s.gpu.vectorize(fast)

if __name__ == "__main__":
    s.emit("build/vector_add_fast.cu")
