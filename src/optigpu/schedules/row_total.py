"""Sums over rows: a block reduces each row, and one block sums up what the rows leave."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.schedules.new_names import NewNames
from optigpu.script.targets import Call, For, Write
from optigpu.script.transformation import transformation
from optigpu.syntax import program
from optigpu.transform.registry import TransformSession

THREADS = 256  # of a block that reduces a row
VECTOR = 4
IN_FLIGHT = 4  # vectors that a thread loads before it uses them
LAST = 1024  # threads of the block that sums up


@transformation
def row_total(
    s: TransformSession,
    row: str,
    *,
    loop: str,
    width: str,
    var: str,
    result: str,
    reductions: Sequence[str] = (),
    threads: int = THREADS,
) -> None:
    """Kernels of a loop over rows that adds to `var`, and of what follows up to the write of `result`.

    `reductions` are the variables that loops over `loop`, the elements of a row, sum up (or take the maximum or minimum in), in
    their order; none if these loops add to `var` itself. Threads load vectors where `width`, the length of a row, is a multiple of
    four.
    """
    new = NewNames(s, For(row))
    s.reduce.parts(For(row), var=var, parts=new.sums, part=new.own)
    inner = reductions or (new.own,)
    firsts = [v for v in inner if _spread(s, new, loop, v, threads)]
    for v in inner:
        s.reduce.parts(For(new.t, body=Write(v)), var=v, parts=new[f"{v}_parts"], part=new[f"{v}_part"])
    for v in inner:
        s.reduce.tree(For(new.t, body=Write(v)))
    for v in firsts:
        s.loop.fast_path(For(new.u, body=Write(new[f"{v}_part"])), when=f"{width} % {VECTOR} == 0")
    s.instr.move(Call("free"), after=Write(result))
    s.instr.move(var, before=For(row).last)
    s.loop.once(var, until=Write(result), index=new.last)
    s.loop.tile(For(row, body=Write(var)), LAST, outer=new.q, tail="guard")
    s.loop.rename(For(new.last) / For(row), new.t)
    s.loop.reorder(new.t, new.q, at=Write(var))
    s.loop.unroll_hint(new.q, 8)
    s.reduce.parts(For(new.last) / For(new.t), var=var, parts=new.rests, part=new.rest)
    s.reduce.tree(For(new.t, body=Write(var)), index=new.d)
    s.instr.move(var, before=Write(var))
    s.gpu.launch(grid=[row], block=[new.t], shared=[new[f"{v}_parts"] for v in inner])
    s.gpu.launch(grid=[new.last], block=[new.t], shared=[new.rests])
    s.gpu.stay_on_device()
    for v in firsts:
        s.gpu.vectorize(For(loop, body=Write(new[f"{v}_part"])).first)


def _spread(s: TransformSession, new: NewNames, loop: str, var: str, threads: int) -> bool:
    """Divide a loop so that adjacent threads have adjacent vectors, and each thread some of them at a time. False if it has been
    divided for another variable before."""
    written = Write(var).first
    around = (s.at(path) for path in s.find(written).ancestors())
    if any(isinstance(x, program.For) and x.index == new.t for x in around):
        return False
    s.loop.widen_range(For(loop, body=written).first, 0)
    s.loop.tile(For(loop, body=written).first, IN_FLIGHT * VECTOR * threads, outer=new.k, tail="guard")
    s.loop.tile(For(loop, body=written).first, VECTOR * threads, outer=new.u)
    s.loop.tile(For(loop, body=written).first, VECTOR, outer=new.t)
    s.loop.reorder(new.t, new.k, new.u, loop, at=written)
    s.loop.unroll_hint(For(new.t, body=written).first / For(new.u), IN_FLIGHT)
    return True
