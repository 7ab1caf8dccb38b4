"""Loop fission and fusion: `loop.fission` splits a loop at a point of its body, `loop.fusion` merges two neighbouring loops."""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.script.editing import StatementPath
from optigpu.script.handles import Handle
from optigpu.script.session import Session
from optigpu.script.targets import Target, TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Expr, Var
from optigpu.syntax.free_names import body_free_vars, bound_after
from optigpu.syntax.program import Body, Decl, For, If
from optigpu.syntax.source import StatementId
from optigpu.syntax.substitution import substitute_body
from optigpu.transform.loop.divided_contracts import divided_contract, joined_contract
from optigpu.transform.loop.hoisting import hoist_declaration, keeps_store
from optigpu.transform.loop.loop_targets import loop_at
from optigpu.transform.step_results import DividedLoop
from optigpu.transform.tools.array_declarations import is_free_of
from optigpu.transform.tools.counted_loops import counted, is_plain, substituted_contract
from optigpu.transform.tools.refusal import refuse


@transformation
def fission(
    session: Session,
    target: TargetLike | None = None,
    *,
    before: TargetLike | None = None,
    after: TargetLike | None = None,
    levels: int = 1,
) -> DividedLoop:
    """Split a loop in two at a point of its body. Variables that are used on both sides become arrays with one element for each
    iteration.

    Before:
        for (int i = 0; i < n; i++) {
          a[i] = 0.0f;
          b[i] = 1.0f;
        }
    Step: s.loop.fission(before=Write("b"))
    After:
        for (int i = 0; i < n; i++) {
          a[i] = 0.0f;
        }
        for (int i = 0; i < n; i++) {
          b[i] = 1.0f;
        }

    Needs: a point in the body of a loop, or in a condition there, which both parts then get; `levels` splits that many loops
    around the point.
    A written contract is divided: the first loop consumes what the loop consumed, the second one produces what it produced, and
    the proof says what holds between them.
    Fails: when an iteration of the first part needs what an earlier iteration of the second part computed.
    Returns: `first` and `second`, the two loops, the outermost ones with `levels`. As a target, the second one.
    """
    if levels < 1:
        raise refuse("at least one loop must be split", code="OG604")
    point = _point(session, target, before, after)
    for _ in range(levels):
        point = split_loop_at(session, point)
    return DividedLoop(session, session.at(point).id, session.handle(point.sibling(-1)))


@transformation
def fusion(session: Session, target: TargetLike, other: TargetLike | None = None) -> Handle:
    """Merge a loop with the one right after it; `other`, if given, must be that loop.

    Before:
        for (int i = 0; i < n; i++) {
          a[i] = 0.0f;
        }
        for (int k = 0; k < n; k++) {
          b[k] = a[k];
        }
    Step: s.loop.fusion("i")
    After:
        for (int i = 0; i < n; i++) {
          a[i] = 0.0f;
          b[i] = a[i];
        }

    Needs: two neighbouring loops with the same number of iterations.
    Fails: when an iteration of the second loop depends on a later iteration of the first.
    Returns: the loop.
    """
    path, loop = loop_at(session, target)
    next_ = path.sibling(1) if other is None else session.find(other, "for")
    if next_ != path.sibling(1) or next_.index >= len(session.around(path)):
        raise refuse("the two loops are not next to each other", loop, "s.instr.move brings them together")
    second = session.at(next_)
    if not isinstance(second, For):
        raise refuse("what follows is not a loop", second)
    body = substitute_body(second.body, {second.index: _second_index(loop, second)})
    contract = joined_contract(loop.contract, substituted_contract(second, _second_index(loop, second)))
    fused = replace(loop, body=(*loop.body, *body), contract=contract)
    session.annotation_changes.incomplete.add(loop.id)
    i = path.index
    session.edit_body(path, lambda b: (*b[:i], fused, *b[i + 2 :]))
    return session.handle(path)


def _point(
    session: Session, target: TargetLike | None, before: TargetLike | None, after: TargetLike | None
) -> StatementPath:
    if before is not None:
        return session.find(before)
    if after is not None:
        return session.find(after).sibling(1)
    if isinstance(target, Target) and target.side is not None:
        return session.find(target).sibling(0 if target.side == "before" else 1)
    raise refuse("say where: before=… or after=…", code="OG604")


def split_loop_at(session: Session, point: StatementPath) -> StatementPath:
    """Split the loop around a point; returns the path of the second loop."""
    if point.is_top_level:
        raise refuse("this point is not inside a loop", code="OG603")
    path, k = point.parent, point.index
    loop = session.at(path)
    if isinstance(loop, If) and not loop.other and 0 < k < len(loop.then):
        crossing = _crossing(loop.then, k)
        if crossing is not None:
            return split_loop_at(session, _hoist_crossing(session, point, loop.then, crossing))
        second_part = replace(loop, then=loop.then[k:], id=StatementId(parent=loop.id))
        session.put(path, replace(loop, then=loop.then[:k]), second_part)
        return split_loop_at(session, path.sibling(1))
    if not isinstance(loop, For):
        raise refuse("this point is not directly in the body of a loop", loop, "fission the inner statement first")
    if k == 0 or k == len(loop.body):
        raise refuse("there is nothing to split off", loop)
    crossing = _crossing(loop.body, k)
    if crossing is not None:
        return split_loop_at(session, _hoist_crossing(session, point, loop.body, crossing))
    contracts = divided_contract(loop.contract, loop.body[:k], loop.body[k:])
    first = replace(loop, body=loop.body[:k], contract=contracts[0])
    second = replace(loop, body=loop.body[k:], contract=contracts[1], id=StatementId(parent=loop.id))
    session.annotation_changes.incomplete |= {first.id, second.id}  # the proof says what holds between the two
    if not any(isinstance(s, For) for s in first.body) and any(isinstance(s, For) for s in second.body):
        # handles of the loop follow the part that contains the nest
        first, second = replace(first, id=second.id), replace(second, id=first.id)
    session.put(path, first, second)
    return path.sibling(1)


def _crossing(body: Body, k: int) -> Decl | None:
    """A declaration before position k of the body that is used after it."""
    used = body_free_vars(body[k:])
    for s in body[:k]:
        if bound_after(s) & used:
            if not isinstance(s, Decl):
                raise refuse("a fact of the first part is used in the second", s)
            return s
    return None


def _hoist_crossing(session: Session, point: StatementPath, body: Body, crossing: Decl) -> StatementPath:
    """Give each iteration its own element of a variable that is used on both sides of the point; returns the point's new path."""
    split = session.handle(point.parent)
    removed = int(crossing.init is None or not keeps_store(crossing))  # does nothing remain of the declaration?
    frees = sum(is_free_of(s, crossing.name) for s in body[: point.index])
    hoist_declaration(session, point.parent.child(body.index(crossing)), 1)
    return split.path().child(point.index - removed - frees)


def _second_index(loop: For, second: For) -> Expr:
    """The index of the second loop in terms of the index of the first."""
    if loop.range == second.range:
        return Var(loop.index)
    first_iterations, second_iterations = counted(loop), counted(second)
    if first_iterations.count != second_iterations.count:
        raise refuse("the two loops are not written with the same number of iterations", second)
    if not is_plain(loop):
        raise refuse("shift the first loop to start at 0", loop, "s.loop.shift_range")
    return second_iterations.value(Var(loop.index))
