"""Sums over a whole array: a kernel that sums up in blocks, and one block that sums up what they leave."""

from __future__ import annotations

from optigpu.script.targets import For, Write
from optigpu.script.transformation import transformation
from optigpu.syntax import program
from optigpu.transform.registry import TransformSession

THREADS = 256
BLOCKS = 512
VECTOR = 4
IN_FLIGHT = 4  # vectors that a thread loads before it uses them


@transformation
def total(s: TransformSession, loop: str, *, var: str, result: str) -> None:
    """Kernels of a loop that adds to `var` (or takes the maximum or minimum), and of what follows up to the write of `result`.

    Threads load vectors. If `result` is a variable, it becomes an array of one element, which later kernels can use.
    """
    summed = For(loop, body=Write(var))
    if any(isinstance(x, program.Decl) and x.name == result for x in s.around(s.find(summed))):
        s.instr.move(s.variable.to_array(result), before=summed)
    s.loop.widen_range(summed, 0)
    s.loop.tile(summed, BLOCKS * IN_FLIGHT * VECTOR * THREADS, outer="k", tail="guard")
    s.loop.tile(summed, IN_FLIGHT * VECTOR * THREADS, outer="block")
    s.loop.tile(summed, VECTOR * THREADS, outer="u")
    s.loop.tile(summed, VECTOR, outer="t")
    s.loop.rename(summed, "v")
    s.loop.reorder("block", "t", "k", "u", "v")
    s.loop.unroll_hint("u", IN_FLIGHT)
    s.reduce.parts(For("block"), var=var, parts="sums", part="own")
    s.reduce.parts(For("t"), var="own", parts="shares")
    s.reduce.tree(For("t", body=Write("own")))
    s.loop.fast_path("u")
    s.instr.move(var, before=For("block").last)
    s.loop.once(var, until=Write(result).first, index="last")
    s.loop.tile(For("block", body=Write(var)), THREADS, outer="q")
    s.loop.rename(For("last") / For("block"), "t")
    s.loop.reorder("t", "q", at=Write(var))
    s.reduce.parts(For("last") / For("t"), var=var, parts="rests", part="rest")
    s.reduce.tree(For("t", body=Write(var)), index="d")
    s.instr.move(var, before=Write(var))
    s.gpu.launch(grid=["block"], block=["t"], shared=["shares"])
    s.gpu.launch(grid=["last"], block=["t"], shared=["rests"])
    s.gpu.stay_on_device()
    s.gpu.vectorize(For("v", body=Write("part")).first)
