"""Sums over columns: groups of threads of a block sum up some of the rows each, then one group sums up what they leave."""

from __future__ import annotations

from optigpu.schedules.new_names import NewNames
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
    new = NewNames(s, loop)
    s.loop.tile(column, threads, outer=new.block, tail="guard")
    s.loop.tile(loop, groups * in_flight, outer=new.q, tail="guard")
    s.loop.tile(loop, groups, outer=new.u)
    s.loop.rename(loop, new.g)
    s.loop.reorder(new.g, new.q, new.u)
    s.loop.unroll_hint(new.u, in_flight)
    s.reduce.parts(For(new.g), var=var, parts=new.shares)
    s.loop.fast_path(new.u)
    s.loop.hoist(new.shares)
    s.instr.move(Decl(var), before=For(new.g).last)
    s.loop.fission(before=Decl(var))
    s.loop.reorder(new.g, column, at=Write(new.shares))
    s.matrix.reorder_dims(new.shares, [1, 0])
    s.loop.rename(For(new.g).last, new.p)
    s.loop.once(Decl(var), until=Write(out), index=new.first)  # the first group
    s.loop.tile(new.first, groups, outer=new.once, tail="guard")
    s.loop.reorder(new.once, new.first, column, at=Write(out))
    s.gpu.launch(grid=[*outer, new.block], block=[new.g, new.first, column], shared=[new.shares])
