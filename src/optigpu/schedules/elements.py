"""Results that do not depend on each other: a thread for each, or for each column of a reduction."""

from __future__ import annotations

from optigpu.schedules.proposals import Proposal, Unfit
from optigpu.schedules.reading import loop_nest
from optigpu.script.transformation import transformation
from optigpu.syntax.program import For
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.refusal import refuse


@transformation
def elements(
    s: TransformSession, *loops: str, threads: int = 128, unroll: str | None = None, name: str = "block"
) -> None:
    """A kernel with a thread for each iteration of a loop nest. Adjacent threads have adjacent iterations of the last loop.

    `unroll`: a loop inside whose iterations load before the first of them is used. `name`: of the loop over blocks.

    Before:
        for (int i = 0; i < m; i++) {
          for (int j = 0; j < n; j++) {
            b[i][j] = 2.0f * a[i][j];
          }
        }
    Step: schedules.elements(s, "i", "j")
    After: a kernel of `m` rows of blocks of 128 threads, each of which computes one element.

    Needs: loops each of which is the whole body of the one before, with independent iterations.
    Fails: when iterations depend on each other.
    """
    if not loops:
        raise refuse("name the loops of the results, outermost first", help='elements(s, "i", "j")', code="OG604")
    *outer, last = loops
    s.loop.tile(last, threads, outer=name, tail="guard")
    if unroll is not None:
        s.loop.unroll_hint(unroll, 8)
    s.gpu.launch(grid=[*outer, name], block=[last])


def propose_elements(s: TransformSession) -> Proposal | Unfit:
    """Fits a program with one nest of independent loops."""
    loops = [x for x in map(s.at, s.outermost_searched()) if isinstance(x, For)]
    if len(loops) != 1:
        return Unfit("elements", f"there are {len(loops)} outermost loops, and it makes a kernel of one")
    nest = loop_nest(loops[0])
    if not nest.grid:
        return Unfit("elements", f"the iterations of the loop over `{loops[0].index}` depend on each other")
    return Proposal(elements, nest.indices, {})
