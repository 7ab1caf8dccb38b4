"""Loops without guards: `loop.fast_path` makes a copy that runs where all guards hold, `loop.unguard` drops guards."""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.script.handles import Handle
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.free_names import bound_after, free_vars
from optigpu.syntax.program import Body, For, If, Stmt
from optigpu.syntax.source import StatementId
from optigpu.syntax.walk import map_bodies, statements
from optigpu.transform.loop.guards import guard_tests, reads_memory, without_guards
from optigpu.transform.loop.loop_targets import loop_at
from optigpu.transform.step_results import FastPath
from optigpu.transform.tools.c_text import Size, as_expression, without_ids
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import conjunction


@transformation
def fast_path(session: Session, target: TargetLike, *, when: Size | None = None) -> FastPath:
    """Run a loop without its guards where all of them hold. One test before the loop decides: each guard at the iteration where it
    is hardest to satisfy, which is the first or the last one of the loop and of the loops inside it, and `when`.

    Before:
        for (int b = 0; b < (n + 3) / 4; b++) {
          for (int v = 0; v < 4; v++) {
            if (b * 4 + v < n) {
              a[b * 4 + v] = 0.0f;
            }
          }
        }
    Step: s.loop.fast_path("v")
    After:
        for (int b = 0; b < (n + 3) / 4; b++) {
          if (b * 4 + 3 < n) {
            for (int v = 0; v < 4; v++) {
              a[b * 4 + v] = 0.0f;
            }
          } else {
            for (int v = 0; v < 4; v++) {
              if (b * 4 + v < n) {
                a[b * 4 + v] = 0.0f;
              }
            }
          }
        }

    Needs: conditions inside the loop, on indices and on values known before the loop. A condition with an else branch counts as a
    guard if it bounds an index, as at the border of a stencil. Conditions that read memory stay.
    Fails: when the guard of some iteration does not follow from those of the first and the last.
    Returns: `fast`, the loop without guards; `other`, the loop with them; `condition`, the `if`. As a target, the fast loop.
    """
    path, loop = loop_at(session, target)
    tests = guard_tests(loop)
    on_data = next((s for s in statements(loop.body) if isinstance(s, If) and reads_memory(s.test)), None)
    if not tests and on_data is not None:
        message = "this condition reads memory, so it has no iteration that is hardest: it is no guard of an index"
        raise refuse(message, on_data, "a fast path runs without the guards that tiles and borders leave")
    tests += [] if when is None else [as_expression(when)]
    if not tests:
        raise refuse("there are no guards in this loop", loop)
    declared_inside = {n for s in statements((loop,)) for n in bound_after(s)}
    for test in tests:
        if hidden := declared_inside & free_vars(test):
            raise refuse(f"a guard depends on `{min(hidden)}`, which is declared inside the loop", loop)
    fast = replace(loop, body=without_guards(loop.body, (loop,)))
    slow = replace(without_ids(loop), id=StatementId(parent=loop.id))
    session.put(path, If(conjunction(tests), (fast,), (slow,)))
    other = session.handle(path.child(0, branch=1))
    return FastPath(session, session.at(path.child(0)).id, other, session.handle(path))


@transformation
def unguard(session: Session, target: TargetLike) -> Handle:
    """Drop the guards inside a loop, those without an else branch: what runs there in addition changes nothing that is used.

    Before:
        float t[8];
        for (int i = 0; i < 8; i++) {
          if (i < n) {
            t[i] = 0.0f;
          }
        }
    Step: s.loop.unguard("i")
    After:
        float t[8];
        for (int i = 0; i < 8; i++) {
          t[i] = 0.0f;
        }

    Needs: guards inside the loop; an array that is read there is a copy that has all its cells (`matrix.stage` with `outside=0`).
    With `.all`, every loop that fits the target. Fails: when an access is then outside its array, or reads a cell that was never
    written, or the result changes.
    Returns: the loop; the first of several.
    """
    paths = session.find_those(target, "for")
    for path in paths:
        path, loop = loop_at(session, path)
        body = _without_plain_guards(loop.body)
        if body == loop.body:
            raise refuse("there are no guards in this loop", loop)
        session.annotation_changes.incomplete.update(s.id for s in statements((loop,)) if isinstance(s, For))
        session.put(path, replace(loop, body=body))
    return session.handle(paths[0])


def _without_plain_guards(body: Body) -> Body:
    """Replace each condition without an else branch by the statements under it."""
    out: list[Stmt] = []
    for s in body:
        inner = map_bodies(s, _without_plain_guards)
        out += inner.then if isinstance(inner, If) and not inner.other else [inner]
    return tuple(out)
