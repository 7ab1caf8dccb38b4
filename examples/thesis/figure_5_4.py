"""Figure 5.4 of the thesis: the small steps of magic thread for conversion. Each of them verifies by itself.

a) to b), convert: the inner loop becomes a magic thread loop, with a magic barrier right after it.
b) to c), fission: the barrier gets a loop of its own.
c) to d), hoist: a loop around a barrier is a barrier.
d) to a): the same for the loop around, until the outermost one is converted.
"""

import optigpu as og
from optigpu import Call, For, Write

s = og.Script("figure_5_4.c")


def convert_tail_nest(inner: og.Target, outer: og.Target) -> None:
    s.gpu.seq_for_to_magic_thread_for(inner)
    s.loop.fission(before=outer / Call("magic_barrier"))
    s.gpu.remove_loop_around_barrier(For("i", body=Call("magic_barrier")))
    s.gpu.seq_for_to_magic_thread_for(outer)


convert_tail_nest(For("j", body=Write("t")), For("i", body=Write("t")))
convert_tail_nest(For("j", body=Write("b")), For("i", body=Write("b")))

if __name__ == "__main__":
    s.print()
