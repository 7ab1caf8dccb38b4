"""The order of blocks: `gpu.swizzle_blocks`."""

from __future__ import annotations

from optigpu.script.session import Session
from optigpu.script.transformation import transformation
from optigpu.transform.loop.interchange import reorder
from optigpu.transform.loop.loop_targets import loop_at
from optigpu.transform.loop.tiling import tile
from optigpu.transform.step_results import LoopNest
from optigpu.transform.tools.counted_loops import counted
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import value_of


@transformation
def swizzle_blocks(session: Session, rows: str, cols: str, by: int = 8) -> LoopNest:
    """Let blocks that run at the same time compute tiles that are near each other in both directions, so that they find in the
    cache what others have read: of two loops over blocks, `by` rows of tiles are done column by column, before the next rows.

    Before:
        for (int x = 0; x < 8; x++) {
          for (int y = 0; y < 16; y++) {
            m[x][y] = 0.0f;
          }
        }
    Step: s.gpu.swizzle_blocks("x", "y", by=4)
    After:
        for (int bx = 0; bx < 2; bx++) {
          for (int y = 0; y < 16; y++) {
            for (int x = 0; x < 4; x++) {
              m[bx * 4 + x][y] = 0.0f;
            }
          }
        }

    Needs: two nested loops, before `s.gpu.launch`, which takes the three loops as its grid. If `by` does not divide the number of
    rows, blocks outside have nothing to do.
    Fails: when the result depends on the order of the iterations.
    Returns: `nest`, the three loops, outermost first. As a target, the outermost of them.
    """
    if by < 2:
        raise refuse(f"{by} rows at a time are no other order", code="OG604")
    _, loop = loop_at(session, rows)
    count = value_of(counted(loop).count)
    tiled = tile(session, rows, by, tail="guard" if count is None or count % by else "divides")
    _, outer = loop_at(session, tiled.outer)
    return reorder(session, outer.index, cols, rows)
