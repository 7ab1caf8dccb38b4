"""The transpose of chapter 3 of the thesis, by its steps: from Listing 3.5 to Listing 3.11, of which CUDA is emitted.

Each `listing_…` is the program of the thesis' listing with that number, which is in the file of that name. Steps of `s.gpu` have
the thesis' names; `loop.tile`, `loop.reorder`, `matrix.stage` and so on are the transformations of CPU programs that it builds on.
"""

import optigpu as og
from optigpu import Call, For, Write

s = og.Script("listing_3_5.c")
listing_3_5 = s.program

# Section 3.1 (5.1): a kernel launch.
kernel = s.gpu.create_kernel_launch("x", grid="(W / 32) * (H / 32)", block="32 * 32", smem="sizeof(float) * 32 * 32")
listing_3_7 = s.program

# Section 3.2: tiles of 32 x 32, and what is read of `in` in a matrix of its own. Then the loops are called as in CUDA: in both
# nests `x` is the inner one.
s.loop.tile("x", 32, outer="bx")
s.loop.tile("y", 32, outer="by")
s.loop.reorder("by", "bx", "x", "y")
s.matrix.stage("in", at="x", name="tile")
s.matrix.to_heap("tile")
s.loop.rename(For("x", body=Write("out")), "row")
s.loop.rename(For("y", body=Write("out")), "x")
s.loop.rename("row", "y")
listing_3_8 = s.program

# Section 3.3 (5.2): the thread hierarchy. The tail nests are x, y twice, and bx, by.
s.gpu.convert_tail_thread_for(For("x", body=Write("tile")), [True])
s.gpu.convert_tail_thread_for(For("x", body=Write("out")), [True])
s.gpu.convert_tail_thread_for("bx", [True])
s.gpu.convert_magic_thread_fors("by")
s.gpu.magic_barrier_to_teardown_sync(Call("magic_barrier").last)
listing_3_10 = s.program

# Section 3.4 (5.3): global memory, with copies from and to the host.
s.matrix.local_name_tile(kernel, var="in", local_var="d_in", tile=[(0, "H"), (0, "W")])
s.matrix.local_name_tile(kernel, var="out", local_var="d_out", tile=[(0, "W"), (0, "H")], uninit=True)
s.gpu.convert_to_global_mem("d_in")
s.gpu.convert_to_global_mem("d_out")

# Shared memory: hoisted out of the loops over by and bx, the tile has two more dimensions, which number the blocks. Nothing
# frees it inside the kernel any more, so no barrier is needed there.
s.loop.hoist_alloc("tile", dest=kernel)
s.instr.delete(Call("magic_barrier").last)
s.gpu.convert_to_shared_mem("tile", chop_dims=2)

# Real barriers come last, since they order no default memory.
s.gpu.magic_barrier_to_blocksync(Call("magic_barrier"))
listing_3_11 = s.program

if __name__ == "__main__":
    s.emit("build/transpose.cu")
