"""Unrolling: `loop.unroll` in the program, `loop.unroll_hint` by the compiler."""

from __future__ import annotations

from optigpu.script.handles import Handle
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.program import Block, Decl, Stmt
from optigpu.syntax.substitution import substitute_body
from optigpu.transform.loop.loop_targets import loop_at, loops_at
from optigpu.transform.loop.tiling import tile
from optigpu.transform.step_results import handles_from
from optigpu.transform.tools.counted_loops import counted, hinted
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import lit, value_of

MAX_UNROLLED = 1024  # iterations


@transformation
def unroll(session: Session, target: TargetLike, factor: int | None = None) -> tuple[Handle, ...]:
    """Write out all iterations of a loop; with `factor`, that many in each iteration of a shorter loop.

    Before:
        for (int i = 0; i < 2; i++) {
          a[i] = 0.0f;
        }
    Step: s.loop.unroll("i")
    After:
        a[0] = 0.0f;
        a[1] = 0.0f;

    Needs: without `factor`, a constant number of iterations; with it, a number that the factor divides.
    Fails: OG311 when it is not proved that the factor divides the count.
    Returns: handles of the statements that were written out, in their order.
    """
    path, loop = loop_at(session, target)
    if factor is not None:
        return unroll(session, tile(session, session.handle(path), factor).inner)
    iterations = counted(loop)
    count = value_of(iterations.count)
    if count is None:
        message = f"the number of iterations of `{loop.index}` is not a number"
        raise refuse(message, loop, "give a factor, or tile first")
    if count > MAX_UNROLLED:
        raise refuse(f"{count} iterations are too many to write out", loop, "tile first")
    copies: list[Stmt] = []
    declares = any(isinstance(s, Decl) for s in loop.body)
    for k in range(count):
        body = substitute_body(loop.body, {loop.index: iterations.value(lit(k))})
        copies += [Block(body)] if declares and count > 1 else body
    session.put(path, *copies)
    return handles_from(session, path, len(copies))


@transformation
def unroll_hint(session: Session, target: TargetLike, factor: int | None = None) -> None:
    """Ask the compiler to unroll a loop: `#pragma unroll`.

    Before:
        for (int i = 0; i < 4; i++) {
          a[i] = 0.0f;
        }
    Step: s.loop.unroll_hint("i", 4)
    After:
        #pragma unroll 4
        for (int i = 0; i < 4; i++) {
          a[i] = 0.0f;
        }

    Needs: a loop. Fails: never; it has no effect on the result.
    """
    if factor is not None and factor < 1:
        raise refuse("a loop is unrolled at least once", code="OG604")
    hint = "unroll" if factor is None else f"unroll {factor}"
    for path, loop in loops_at(session, target):
        session.put(path, hinted(loop, "unroll", hint))
