"""The reduction of section 7.2, by the steps of section 7.3: a routine that reduces an array as a tree is verified by itself, inserted
into the code and inlined; then the loops become a kernel. Each thread adds two adjacent elements, as in the thesis."""

from pathlib import Path

import optigpu as og
from optigpu import For, Write

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

# The host adds up the sums of the blocks
s.variable.bind(For("b") / Write("sum"), "sums", "reduce_arr[0]")
s.loop.hoist("sums")
s.loop.fission(before=For("b") / Write("sum"))

# Launch, thread loops, memory and barriers
s.gpu.launch(grid=["b"], block=["t"], shared=["reduce_arr"], at=For("b").first)

if __name__ == "__main__":
    s.emit("build/reduction.cu")
