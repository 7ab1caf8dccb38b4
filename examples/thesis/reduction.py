"""The reduction of section 7.2, by the steps of section 7.3: a routine that reduces an array as a tree is verified by itself, inserted
into the code and inlined; then the loops become a kernel. Each thread adds two adjacent elements, as in the thesis."""

from pathlib import Path

import optigpu as og
from optigpu import Call, For, In, Write

s = og.Script("reduction.c")
s.loop.tile("i", 512, outer="b", tail="divides")
s.loop.tile("i", 2, outer="t", tail="divides")

# The sum of a thread is independent of the others, and is kept in an array (Listing 2.3)
s.variable.local_name("t", var="sum", local_var="part")
s.accesses.shift_var("part", factor="sum", inv=True)
s.variable.bind(For("t") / Write("sum"), "reduce_arr", "part")
s.loop.hoist("reduce_arr")
s.loop.fission(before=For("t") / Write("sum"))

# The routine takes the place of the loop that adds up a block's sums
s.function.insert(str(Path(__file__).with_name("tree_reduction.c")))
s.instr.replace(For("t", body=Write("sum")), "tree_reduction(8, reduce_arr); sum += reduce_arr[0];")
s.function.inline("tree_reduction")
s.arith.simplify("reduce")

# The host adds up the sums of the blocks, each of which the first thread of a block stores
s.variable.bind(For("b") / Write("sum"), "sums", "reduce_arr[0]")
s.loop.hoist("sums")
blocks = s.loop.fission(before=For("b") / Write("sum")).first
s.instr.replace(Write("sums"), "for (int t = 0; t < 256; t++) { if (t == 0) { sums[b] = reduce_arr[0]; } }")
s.matrix.local_name_tile(blocks, var="arr", local_var="d_arr", tile=[(0, "N")])
s.matrix.local_name_tile(blocks, var="sums", local_var="d_sums", tile=[(0, "exact_div(N, 512)")], uninit=True)

# Figure 5.3: the launch, the threads, the memory and the barriers, each step a program that verifies
s.matrix.to_heap("reduce_arr")
s.gpu.create_kernel_launch(blocks, grid="exact_div(N, 512)", block=256, smem="256 * sizeof(float)")
s.gpu.seq_for_to_magic_thread_for(For("t", body=Write("part")))
s.gpu.seq_for_to_magic_thread_for(In("reduce") / For("i") / For("t"))
s.gpu.seq_for_to_magic_thread_for(For("t", body=Write("d_sums")))
s.gpu.seq_for_to_magic_thread_for(blocks)
s.gpu.convert_magic_thread_fors(blocks)
s.gpu.convert_to_global_mem("d_arr")
s.gpu.convert_to_global_mem("d_sums")
s.gpu.convert_to_shared_mem("reduce_arr")
s.gpu.hoist_barrier(Call("magic_barrier").nth(2))
s.gpu.magic_barrier_to_teardown_sync(Call("magic_barrier").last)
s.gpu.magic_barrier_to_blocksync(Call("magic_barrier").first)
s.gpu.magic_barrier_to_blocksync(Call("magic_barrier"))

if __name__ == "__main__":
    s.emit("build/reduction.cu")
