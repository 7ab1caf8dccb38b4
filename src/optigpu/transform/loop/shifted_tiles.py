"""Tiles that do not start at multiples of their size: `loop.tile_shifted`."""

from __future__ import annotations

from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Binary
from optigpu.syntax.program import If
from optigpu.syntax.types import INT64
from optigpu.transform.loop.loop_targets import index_name, loop_at
from optigpu.transform.loop.tiling import Tiles
from optigpu.transform.step_results import TiledLoop
from optigpu.transform.tools.c_text import Size, as_expression
from optigpu.transform.tools.counted_loops import counted
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import div, less, lit, minus, plus, value_of


@transformation
def tile_shifted(
    session: Session, target: TargetLike, size: Size, *, shift: Size, most: int, outer: str | None = None
) -> TiledLoop:
    """Cut a loop into tiles of `size` iterations that start `shift` iterations before multiples of the size. The shift may depend
    on loops around, and is at most `most`: rows of an array that start in the middle of a sector of memory get tiles that start
    with a sector.

    Before:
        for (int k = 0; k < 8; k++) {
          for (int i = 0; i < n; i++) {
            m[k][i] = 0.0f;
          }
        }
    Step: s.loop.tile_shifted("i", 32, shift="k * (n % 8) % 8", most=7, outer="bi")
    After:
        for (int k = 0; k < 8; k++) {
          for (int bi = 0; bi < (n + 38) / 32; bi++) {
            for (int i = 0; i < 32; i++) {
              if (k * (n % 8) % 8 <= bi * 32 + i && bi * 32 + i - k * (n % 8) % 8 < n) {
                m[k][bi * 32 + i - k * (n % 8) % 8] = 0.0f;
              }
            }
          }
        }

    Needs: a loop that counts by a constant.
    Fails: when the shift may be negative or larger than `most`.
    Returns: `outer`, the loop over the tiles; `inner`; `tail` is None. As a target, the outer loop.
    """
    path, loop = loop_at(session, target)
    if loop.index_type == INT64:
        raise refuse("the index has 64 bits, which shifted tiles do not have", loop)
    count, n, by = counted(loop).count, as_expression(size), as_expression(shift)
    if most < 1 or (value_of(n) or 1) < 1:
        raise refuse("a shift of at least one, and tiles of at least one iteration", loop, code="OG604")
    tiles = Tiles(loop, index_name(session, outer or f"b{loop.index}", path, loop), n)
    number = minus(tiles.index, by)
    guard = Binary("&&", Binary("<=", by, tiles.index), less(number, count))
    body = (If(guard, tiles.iteration(number)),)
    session.annotation_changes.incomplete.add(loop.id)
    number_of_size = value_of(n)
    above = plus(n, lit(most - 1)) if number_of_size is None else lit(number_of_size + most - 1)
    session.put(path, tiles.nest(div(plus(count, above), n), n, body, ((), ())))
    return TiledLoop(session, session.at(path).id, session.handle(path.child(0)), None)
