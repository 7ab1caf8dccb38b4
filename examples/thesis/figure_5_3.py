"""Figure 5.3 of the thesis: the phases of a GPU conversion. Every step verifies by itself, also inside of the phases.

After the launch, the grid executes the serial program on default memory, as one. Magic thread loops and magic barriers then say
which iterations are independent and what has to be ordered; thread loops divide the threads of the launch. Only then is memory
converted, and at last the barriers, since a barrier of the block orders no default memory.
"""

import optigpu as og
from optigpu import Call, For, Read, Write

s = og.Script("figure_5_3.c")

# Phase 1: a kernel launch (Section 5.1)
s.gpu.create_kernel_launch("i", grid="n", block=32, smem="32 * sizeof(float)")

# Phase 2: the hierarchy of threads (Section 5.2)
s.gpu.seq_for_to_magic_thread_for(For("j", body=Write("t")))
s.gpu.seq_for_to_magic_thread_for(For("j", body=Write("b")))
s.gpu.seq_for_to_magic_thread_for("i")
s.gpu.convert_magic_thread_fors("i")

# Phase 3: memory, then barriers (Section 5.3)
s.gpu.convert_to_shared_mem("t")
s.gpu.copy_to_device("a", "b")
s.gpu.magic_barrier_to_blocksync(Call("magic_barrier").first)
s.gpu.magic_barrier_to_blocksync(Call("magic_barrier").first)
s.gpu.magic_barrier_to_teardown_sync(Call("magic_barrier"))
s.gpu.remove_redundant_barriers()

if __name__ == "__main__":
    s.emit("build/figure_5_3.cu")
