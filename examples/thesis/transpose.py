"""The transpose of chapter 3 of the thesis, by its steps: from Listing 3.5 to Listing 3.11, of which CUDA is emitted.

Each `listing_…` is the program of the thesis' listing with that number, which is in the file of that name. The names of the steps are
the thesis' names; `loop.tile`, `loop.reorder`, `matrix.stage` and so on are the transformations of CPU programs that it builds on.
"""

import optigpu as og
from optigpu import Call, For, Write

s = og.Script("listing_3_5.c")
listing_3_5 = s.program

# The programs on the way to the GPU have host memory inside a kernel, so they are verified together, at the end of this phase.
with s.phase("transpose on the GPU"):
    with s.phase("kernel launch"):  # section 3.1, section 5.1
        kernel = s.gpu.create_kernel_launch(
            "x", grid="(W / 32) * (H / 32)", block="32 * 32", smem="sizeof(float) * 32 * 32"
        )
    listing_3_7 = s.program

    with s.phase(
        "loop transformations"
    ):  # section 3.2: tiles of 32 x 32, and what is read of `in` in a matrix of its own
        s.loop.tile("x", 32, outer="bx")
        s.loop.tile("y", 32, outer="by")
        s.loop.reorder("by", "bx", "x", "y")
        s.matrix.stage("in", at="x", name="tile")
        s.matrix.to_heap("tile")
        s.loop.rename(
            For("x", body=Write("out")), "row"
        )  # in both nests the loop over threadIdx.x is the inner one, `x`
        s.loop.rename(For("y", body=Write("out")), "x")
        s.loop.rename("row", "y")
    listing_3_8 = s.program

    with s.phase("thread hierarchy"):  # section 3.3, section 5.2
        s.gpu.convert_tail_thread_for(For("x", body=Write("tile")), [True])  # x, y
        s.gpu.convert_tail_thread_for(For("x", body=Write("out")), [True])  # x, y
        s.gpu.convert_tail_thread_for("bx", [True])  # bx, by
        s.gpu.convert_magic_thread_fors("by")
        s.gpu.magic_barrier_to_teardown_sync(Call("magic_barrier").last)
    listing_3_10 = s.program

    with s.phase("global memory"):  # section 3.4, section 5.3
        s.matrix.local_name_tile(kernel, var="in", local_var="d_in", tile=[(0, "H"), (0, "W")])
        s.matrix.local_name_tile(kernel, var="out", local_var="d_out", tile=[(0, "W"), (0, "H")], uninit=True)
        s.gpu.convert_to_global_mem("d_in")
        s.gpu.convert_to_global_mem("d_out")
    with s.phase("shared memory"):
        s.loop.hoist_alloc(
            "tile", dest=Call("kernel_setup_end")
        )  # out of the loops over by and bx: two more dimensions
        s.instr.delete(Call("magic_barrier").last)  # it was before the `free` of the tile, which is in the teardown now
        s.gpu.convert_to_shared_mem("tile", chop_dims=2)  # the dimensions of by and bx number the blocks
    with s.phase("barriers"):
        s.gpu.magic_barrier_to_blocksync(Call("magic_barrier"))
listing_3_11 = s.program

if __name__ == "__main__":
    s.emit("build/transpose.cu")
