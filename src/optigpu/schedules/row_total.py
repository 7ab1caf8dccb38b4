"""Sums over rows: a block reduces each row, and one block sums up what the rows leave."""

from __future__ import annotations

from collections.abc import Sequence

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
    s.reduce.parts(For(row), var=var, parts="sums", part="own")
    inner = reductions or ("own",)
    firsts = [v for v in inner if spread(s, loop, v, threads)]
    for v in inner:
        s.reduce.parts(For("t", body=Write(v)), var=v, parts=f"{v}_parts", part=f"{v}_part")
    for v in inner:
        s.reduce.tree(For("t", body=Write(v)))
    for v in firsts:
        s.loop.fast_path(For("u", body=Write(f"{v}_part")), when=f"{width} % {VECTOR} == 0")
    s.instr.move(Call("free"), after=Write(result))
    s.instr.move(var, before=For(row).last)
    s.loop.once(var, until=Write(result), index="last")
    s.loop.tile(For(row, body=Write(var)), LAST, outer="q", tail="guard")
    s.loop.rename(For("last") / For(row), "t")
    s.loop.reorder("t", "q", at=Write(var))
    s.loop.unroll_hint("q", 8)
    s.reduce.parts(For("last") / For("t"), var=var, parts="rests", part="rest")
    s.reduce.tree(For("t", body=Write(var)), index="d")
    s.instr.move(var, before=Write(var))
    s.gpu.launch(grid=[row], block=["t"], shared=[f"{v}_parts" for v in inner])
    s.gpu.launch(grid=["last"], block=["t"], shared=["rests"])
    s.gpu.stay_on_device()
    for v in firsts:
        s.gpu.vectorize(For(loop, body=Write(f"{v}_part")).first)


def spread(s: TransformSession, loop: str, var: str, threads: int) -> bool:
    """Divide a loop so that adjacent threads have adjacent vectors, and each thread some of them at a time. False if it has been
    divided for another variable before."""
    written = Write(var).first
    around = (s.at(path) for path in s.find(written).ancestors())
    if any(isinstance(x, program.For) and x.index == "t" for x in around):
        return False
    s.loop.widen_range(For(loop, body=written).first, 0)
    s.loop.tile(For(loop, body=written).first, IN_FLIGHT * VECTOR * threads, outer="k", tail="guard")
    s.loop.tile(For(loop, body=written).first, VECTOR * threads, outer="u")
    s.loop.tile(For(loop, body=written).first, VECTOR, outer="t")
    s.loop.reorder("t", "k", "u", loop, at=written)
    s.loop.unroll_hint(For("t", body=written).first / For("u"), IN_FLIGHT)
    return True
