"""Prefetching: `loop.prefetch` loads the data of an iteration during the one before."""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.script.handles import Handle
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Var
from optigpu.syntax.program import Body, Decl, For, Store
from optigpu.syntax.substitution import substitute_body
from optigpu.syntax.walk import rewrite_body, root_name, statements
from optigpu.transform.tools.array_declarations import dims_of
from optigpu.transform.tools.c_text import without_ids
from optigpu.transform.tools.counted_loops import is_plain
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import folded, lit, minimum, minus, plus


@transformation
def prefetch(session: Session, target: TargetLike, *, before: TargetLike | None = None) -> Handle:
    """Fill a local array one iteration ahead, so that its loads overlap with computation: before the loop for the first iteration,
    and in each iteration for the next one, at the end of the body or at the point `before`. The last iteration loads its own data
    a second time.

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
    Fails: when the loop may have no iteration, the loop writes what is loaded, or the array is used after the point.
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
    i, count = loop.index, loop.range.bound
    first_fill = rewrite_body(substitute_body(fill, {i: lit(0)}), folded)
    following = minimum(plus(Var(i), lit(1)), minus(count, lit(1)))
    next_fill = tuple(without_ids(s) for s in substitute_body(fill, {i: following}))
    body = (*loop.body[:k], *loop.body[k + 2 : point.index], *next_fill, *loop.body[point.index :])
    session.annotation_changes.incomplete.add(loop.id)  # its contract says nothing of the array
    session.put(around, decl, *first_fill, replace(loop, body=body))
    return session.handle(around.sibling(1 + len(first_fill)))


def _stored_names(body: Body) -> set[str]:
    """Variables and arrays that are written."""
    return {root_name(s.target) for s in statements(body) if isinstance(s, Store)}
