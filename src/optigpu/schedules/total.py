"""Sums over a whole array: a kernel that sums up in blocks, and one block that sums up what they leave."""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.schedules.new_names import NewNames
from optigpu.schedules.required_names import require_powers_of_two
from optigpu.script.targets import Decl, For, Target, Write
from optigpu.script.transformation import transformation
from optigpu.syntax import program
from optigpu.syntax.exprs import Var
from optigpu.syntax.types import Scalar
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.refusal import refuse

THREADS = 256
BLOCKS = 512
VECTOR = 4
IN_FLIGHT = 4  # vectors that a thread loads before it uses them


@transformation
def total(
    s: TransformSession,
    loop: str,
    *,
    var: str,
    result: str | None = None,
    threads: int = THREADS,
    blocks: int = BLOCKS,
    vector: int = VECTOR,
    in_flight: int = IN_FLIGHT,
) -> None:
    """Kernels of a loop that adds to `var` (or takes the maximum or minimum), and of what follows up to the write of `result`.

    Each of at most `blocks` blocks of `threads` threads takes part in the first sum; `threads` divides `blocks`. A thread loads
    `in_flight` vectors before it uses them. If `result` is a variable, it becomes an array of one element, which later kernels can
    use. Without `result`, what the function returns is computed last.
    """
    require_powers_of_two(threads=threads, blocks=blocks, vector=vector)
    summed = For(loop, body=Write(var))
    new = NewNames(s, summed)
    if result is None:
        result = _returned(s, summed, new)
    if any(isinstance(x, program.Decl) and x.name == result for x in s.around(s.find(summed))):
        s.instr.move(s.variable.to_array(result), before=summed)
    s.loop.widen_range(summed, 0)
    s.loop.tile(summed, blocks * in_flight * vector * threads, outer=new.k, tail="guard")
    s.loop.tile(summed, in_flight * vector * threads, outer=new.block)
    s.loop.tile(summed, vector * threads, outer=new.u)
    s.loop.tile(summed, vector, outer=new.t)
    s.loop.rename(summed, new.v)
    s.loop.reorder(new.block, new.t, new.k, new.u, new.v)
    s.loop.unroll_hint(new.u, in_flight)
    s.reduce.parts(For(new.block), var=var, parts=new.sums, part=new.own)
    _start_at_first_value(s, new.own, var)
    s.reduce.parts(For(new.t), var=new.own, parts=new.shares, part=new.part)
    s.reduce.tree(For(new.t, body=Write(new.own)))
    s.loop.fast_path(new.u)
    s.instr.move(var, before=For(new.block).last)
    s.loop.once(var, until=Write(result).first, index=new.last)
    s.loop.tile(For(new.block, body=Write(var)), threads, outer=new.q)
    s.loop.rename(For(new.last) / For(new.block), new.t)
    s.loop.reorder(new.t, new.q, at=Write(var))
    s.reduce.parts(For(new.last) / For(new.t), var=var, parts=new.rests, part=new.rest)
    _start_at_first_value(s, new.rest, var)
    s.reduce.tree(For(new.t, body=Write(var)), index=new.d)
    s.instr.move(var, before=Write(var))
    s.gpu.launch(grid=[new.block], block=[new.t], shared=[new.shares])
    s.gpu.launch(grid=[new.last], block=[new.t], shared=[new.rests])
    s.gpu.stay_on_device()
    s.gpu.vectorize(For(new.v, body=Write(new.part)).first)


def _start_at_first_value(s: TransformSession, own: str, var: str) -> None:
    """Let a partial maximum start at what the variable starts at, such as `a[0]`: the variable itself is where partial maxima are
    combined."""
    first, path = s.at(Decl(var)), s.find(Decl(own))
    start = s.at(path)
    assert isinstance(first, program.Decl) and isinstance(start, program.Decl)
    if start.init == Var(var):
        s.put(path, replace(start, init=first.init))


def _returned(s: TransformSession, summed: Target, new: NewNames) -> str:
    """Have the function return a variable: its name."""
    path = s.find(summed)
    body, elem = s.around(path), s.function_of(path).result
    last = body[-1]
    if not isinstance(last, program.Return) or last.value is None or not isinstance(elem, Scalar):
        raise refuse("the function returns nothing after the loop", body[path.index], "result=", code="OG604")
    end = path.sibling(len(body) - 1 - path.index)
    value = program.Decl(new.result, elem, last.value)
    copy = program.Decl(new.returned, elem, Var(new.result), const=True)
    s.put(end, value, copy, replace(last, value=Var(new.returned)))
    return new.result
