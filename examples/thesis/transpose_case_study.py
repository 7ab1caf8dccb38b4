"""The transpose of the thesis' case study (section 7.2): the one of chapter 3, with two elements per thread.

The order of the steps is that of chapter 5: first a serial program for the CPU with the structure of the kernel, then the phases of
Figure 5.3. The last two steps, which the thesis does not have, pad the tile, as the reference kernel of the evaluation does.
"""

import optigpu as og
from optigpu import Call, For, Write

BLOCKS, THREADS = "MSIZE2(exact_div(H, 32), exact_div(W, 32))", "MSIZE2(16, 32)"

s = og.Script("listing_3_5.c")
s.loop.tile("x", 32, outer="bx")
s.loop.tile("y", 32, outer="by")
s.loop.reorder("by", "bx", "x", "y")
s.matrix.stage("in", at="x", name="tile")
s.loop.tile(For("y", body=Write("tile")), 16, outer="j")
s.loop.reorder("y", "x", "j", at=Write("tile"))
s.loop.tile(For("x", body=Write("out")), 16, outer="j")
s.loop.reorder("x", "y", "j", at=Write("out"))
s.matrix.local_name_tile("by", var="in", local_var="d_in", tile=[(0, "H"), (0, "W")])
s.matrix.local_name_tile("by", var="out", local_var="d_out", tile=[(0, "W"), (0, "H")], uninit=True)

# Section 5.1: a kernel launch.
kernel = s.gpu.create_kernel_launch("by", grid=BLOCKS, block=THREADS, smem="sizeof(float) * MSIZE2(32, 32)")

# Section 5.2: the thread hierarchy. The tail nests are x, y and then y, x, bx, by.
s.loop.hoist_alloc("tile", dest=kernel)
s.gpu.convert_tail_thread_for(For("x", body=Write("tile")), [True])
s.gpu.convert_tail_thread_for(For("y", body=Write("d_out")), [True, True, True])
s.gpu.convert_magic_thread_fors("by")

# Section 5.3: memory and instruction selection.
s.gpu.convert_to_global_mem("d_in")
s.gpu.convert_to_global_mem("d_out")
s.gpu.convert_to_shared_mem("tile", chop_dims=2)
s.gpu.magic_barrier_to_blocksync(Call("magic_barrier").first)
s.gpu.magic_barrier_to_teardown_sync(Call("magic_barrier"))
listing_6_21 = s.program

# Rows of 33 elements: the elements of a column are in different banks.
s.instr.replace(Call("kernel_launch"), f"kernel_launch({BLOCKS}, {THREADS}, sizeof(float) * MSIZE2(32, 33));")
s.matrix.pad("tile", 1)

if __name__ == "__main__":
    s.emit("build/transpose_case_study.cu")
