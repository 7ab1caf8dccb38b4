"""Sums over columns: groups of threads of a block sum up some of the rows each, then one group sums up what they leave."""

from __future__ import annotations

from optigpu.script.targets import Decl, For, Write
from optigpu.script.transformation import transformation
from optigpu.transform.registry import TransformSession

THREADS = 128  # adjacent columns of a block
GROUPS = 8  # of threads
IN_FLIGHT = 4  # elements that a thread loads before it uses them


@transformation
def columns(
    s: TransformSession,
    *loops: str,
    loop: str,
    var: str,
    out: str,
    threads: int = THREADS,
    groups: int = GROUPS,
    in_flight: int = IN_FLIGHT,
) -> None:
    """A kernel of a loop nest whose innermost `loop` adds to `var`, and of what follows up to the write of `out`.

    Adjacent threads have adjacent iterations of the last of `loops`. Many short blocks keep all multiprocessors busy to the end.
    """
    *outer, column = loops
    s.loop.tile(column, threads, outer="block", tail="guard")
    s.loop.tile(loop, groups * in_flight, outer="q", tail="guard")
    s.loop.tile(loop, groups, outer="u")
    s.loop.rename(loop, "g")
    s.loop.reorder("g", "q", "u")
    s.loop.unroll_hint("u", in_flight)
    s.reduce.parts(For("g"), var=var, parts="shares")
    s.loop.fast_path("u")
    s.loop.hoist("shares")
    s.instr.move(Decl(var), before=For("g").last)
    s.loop.fission(before=Decl(var))
    s.loop.reorder("g", column, at=Write("shares"))
    s.matrix.reorder_dims("shares", [1, 0])
    s.loop.rename(For("g").last, "p")
    s.loop.once(Decl(var), until=Write(out), index="first")  # the first group
    s.loop.tile("first", groups, outer="once", tail="guard")
    s.loop.reorder("once", "first", column, at=Write(out))
    s.gpu.launch(grid=[*outer, "block"], block=["g", "first", column], shared=["shares"])
