"""Prefetching: `loop.prefetch` loads the data of an iteration during the one before."""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Array, Var
from optigpu.syntax.program import Body, Decl, For, Store
from optigpu.syntax.substitution import substitute_body
from optigpu.syntax.walk import rewrite_body, root_name, statements
from optigpu.transform.loop.hoisting import with_leading_index
from optigpu.transform.step_results import PrefetchingLoop, handles_from
from optigpu.transform.tools.array_declarations import dims_of, elem_of
from optigpu.transform.tools.c_text import without_ids
from optigpu.transform.tools.counted_loops import is_plain
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import folded, lit, minimum, minus, mod, plus


@transformation
def prefetch(
    session: Session,
    target: TargetLike,
    *,
    before: TargetLike | None = None,
    past_end: bool = False,
    buffers: int = 1,
) -> PrefetchingLoop:
    """Fill a local array one iteration ahead, so that its loads overlap with computation: before the loop for the first iteration,
    and in each iteration for the next one, at the end of the body or at the point `before`. The last iteration loads its own data
    a second time; with `past_end`, that of the iteration after it, which the guards of the loads then have to keep inside arrays.
    With `buffers=2` two arrays take turns, so that an iteration fills one while others still use the other.

    Before:
        for (int i = 0; i < 4; i++) {
          float t[8];
          for (int j = 0; j < 8; j++) {
            t[j] = m[i][j];
          }
          for (int j = 0; j < 8; j++) {
            m2[i][j] = t[j];
          }
        }
    Step: s.loop.prefetch("t")
    After:
        float t[8];
        for (int j = 0; j < 8; j++) {
          t[j] = m[0][j];
        }
        for (int i = 0; i < 4; i++) {
          for (int j = 0; j < 8; j++) {
            m2[i][j] = t[j];
          }
          for (int j = 0; j < 8; j++) {
            t[j] = m[min(i + 1, 3)][j];
          }
        }

    Needs: an array declared in a loop that counts up from 0 by one, and written only by the statement after its declaration.
    Fails: when the loop may have no iteration (unless `past_end`), the loop writes what is loaded, or the array is used after the
    point (unless there are two buffers).
    Returns: `declaration`, of the array; `first_fill`, before the loop; `next_fill`, in it. As a target, the loop.
    """
    path = session.find(target, "decl")
    decl = session.at(path)
    if not isinstance(decl, Decl) or not dims_of(decl) or path.is_top_level:
        raise refuse("this is not the declaration of an array in a loop", decl)
    around, loop = path.parent, session.at(path.parent)
    if not isinstance(loop, For) or not is_plain(loop):
        raise refuse("the array is not declared in a loop from 0 that counts up by one", decl, "s.loop.shift_range")
    k = path.index
    fill, rest = loop.body[k + 1 : k + 2], loop.body[k + 2 :]
    if decl.name not in _stored_names(fill) or decl.name in _stored_names(rest):
        raise refuse(f"`{decl.name}` is not filled by the next statement alone", decl)
    point = around.child(len(loop.body)) if before is None else session.find(before)
    if point.parent != around or point.index < k + 2:
        raise refuse("`before` is not in the body of the loop, after the array is filled", loop)
    if buffers not in (1, 2):
        raise refuse("an array has one buffer or two", decl, code="OG604")
    i, after = Var(loop.index), plus(Var(loop.index), lit(1))
    following = after if past_end else minimum(after, minus(loop.range.bound, lit(1)))
    first_fill = rewrite_body(substitute_body(fill, {i.name: lit(0)}), folded)
    next_fill = tuple(without_ids(s) for s in substitute_body(fill, {i.name: following}))
    uses, later = loop.body[k + 2 : point.index], loop.body[point.index :]
    if buffers == 2:
        first_fill = with_leading_index(first_fill, decl, lit(0))
        next_fill = with_leading_index(next_fill, decl, mod(after, lit(2)))
        uses, later = (with_leading_index(part, decl, mod(i, lit(2))) for part in (uses, later))
        decl = replace(decl, type=Array(elem_of(decl), (lit(2), *dims_of(decl))))
    body = (*loop.body[:k], *uses, *next_fill, *later)
    session.annotation_changes.incomplete.add(loop.id)  # its contract says nothing of the array
    session.put(around, decl, *first_fill, replace(loop, body=body))
    at_loop = around.sibling(1 + len(first_fill))
    declaration, filled_first = handles_from(session, around, 2)
    filled_next = session.handle(at_loop.child(k + len(uses)))
    return PrefetchingLoop(session, session.at(at_loop).id, declaration, filled_first, filled_next)


def _stored_names(body: Body) -> set[str]:
    """Variables and arrays that are written."""
    return {root_name(s.target) for s in statements(body) if isinstance(s, Store)}
