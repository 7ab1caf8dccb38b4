"""Sums over a whole array: a kernel that sums up in blocks, and one block that sums up what they leave."""

from __future__ import annotations

from optigpu.script.targets import For, Write
from optigpu.script.transformation import transformation
from optigpu.transform.registry import TransformSession

THREADS = 256
BLOCKS = 1024
IN_FLIGHT = 4  # elements that a thread loads before it uses them


@transformation
def total(s: TransformSession, loop: str, *, var: str, result: str) -> None:
    """Kernels of a loop that adds to `var` (or takes the maximum or minimum), and of what follows up to the write of `result`."""
    s.loop.tile(loop, BLOCKS * IN_FLIGHT * THREADS, outer="k", tail="guard")
    s.loop.tile(loop, IN_FLIGHT * THREADS, outer="block")
    s.loop.tile(loop, THREADS, outer="v")
    s.loop.rename(For(loop), "t")
    s.loop.reorder("block", "t", "k", "v")
    s.loop.unroll_hint("v", IN_FLIGHT)
    s.reduce.parts(For("block"), var=var, parts="sums", part="own")
    s.reduce.parts(For("t"), var="own", parts="shares")
    s.reduce.tree(For("t", body=Write("own")))
    s.instr.move(var, before=For("block").last)
    s.loop.once(var, until=Write(result), index="last")
    s.loop.tile(For("block", body=Write(var)), THREADS, outer="q")
    s.loop.rename(For("last") / For("block"), "t")
    s.loop.reorder("t", "q", at=Write(var))
    s.reduce.parts(For("last") / For("t"), var=var, parts="rests", part="rest")
    s.reduce.tree(For("t", body=Write(var)), index="d")
    s.instr.move(var, before=Write(var))
    s.gpu.launch(grid=["block"], block=["t"], shared=["shares"])
    s.gpu.launch(grid=["last"], block=["t"], shared=["rests"])
    s.gpu.stay_on_device()
