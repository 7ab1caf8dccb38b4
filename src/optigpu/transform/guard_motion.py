"""Conditions and loops: `instr.move_guard` moves a condition across loops, `instr.split_guard` divides it."""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.script.editing import StatementPath
from optigpu.script.handles import Handle
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.conditions import conjuncts
from optigpu.syntax.free_names import body_free_vars, bound_after, free_vars
from optigpu.syntax.program import For, If, Stmt
from optigpu.syntax.source import StatementId
from optigpu.syntax.walk import inner_bodies, statements
from optigpu.transform.step_results import SplitGuard
from optigpu.transform.tools.c_text import without_ids
from optigpu.transform.tools.changed_annotations import is_proof_step
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import conjunction


@transformation
def move_guard(session: Session, target: TargetLike, *, out_of: str | None = None, into: str | None = None) -> Handle:
    """Move the condition at or around a statement out of a loop, with `out_of`, or into one, with `into`, across all loops between.
    Out of a loop move those operands of `&&` that do not mention its index; an `else` gets a loop of its own.

    Before:
        for (int i = 0; i < n; i++) {
          for (int j = 0; j < n; j++) {
            if (i < 8 && j < i) {
              m[i][j] = 0.0f;
            }
          }
        }
    Step: s.instr.move_guard(Write("m"), out_of="j")
    After:
        for (int i = 0; i < n; i++) {
          if (i < 8) {
            for (int j = 0; j < n; j++) {
              if (j < i) {
                m[i][j] = 0.0f;
              }
            }
          }
        }

    Needs: `out_of`: a condition that is alone in the loops that it leaves (s.loop.fission), an operand that does not mention their
    indices. `into`: a condition without an else branch; the statements beside the loop get the condition, too.
    Fails: when the condition depends on what the loop changes.
    Returns: the condition at its new place.
    """
    if (out_of is None) == (into is None):
        raise refuse("say out_of=… or into=…, one of them", code="OG604")
    path = _guard_at(session, session.find(target))
    if out_of is not None:
        return session.handle(_moved_out(session, path, out_of))
    assert into is not None
    return session.handle(_moved_in(session, path, into))


@transformation
def split_guard(session: Session, target: TargetLike, first: int = 1) -> SplitGuard:
    """Divide the condition at or around a statement: the first operands of `&&` around the others.

    Before:
        for (int i = 0; i < n; i++) {
          if (i < 8 && i > 2) {
            a[i] = 0.0f;
          }
        }
    Step: s.instr.split_guard(Write("a"))
    After:
        for (int i = 0; i < n; i++) {
          if (i < 8) {
            if (i > 2) {
              a[i] = 0.0f;
            }
          }
        }

    Needs: a condition with `&&` and without an else branch, with more than `first` operands. Fails: never.
    Returns: `outer` and `inner`, the two conditions. As a target, the outer one.
    """
    path = _guard_at(session, session.find(target))
    guard = session.at(path)
    assert isinstance(guard, If)
    tests = conjuncts(guard.test)
    if guard.other:
        raise refuse("the condition has an else branch, which would run where one operand holds", guard)
    if not 0 < first < len(tests):
        operands = "1 operand" if len(tests) == 1 else f"{len(tests)} operands"
        raise refuse(
            f"the condition has {operands} of `&&`: the first {first} cannot be split off", guard, code="OG604"
        )
    inner = replace(guard, test=conjunction(tests[first:]))
    session.put(path, If(conjunction(tests[:first]), (inner,), id=StatementId(parent=guard.id)))
    return SplitGuard(session, session.at(path).id, session.handle(path.child(0)))


def _guard_at(session: Session, path: StatementPath) -> StatementPath:
    """The condition at a path, or the innermost one around it."""
    for p in (path, *reversed(path.ancestors())):
        if isinstance(session.at(p), If):
            return p
    raise refuse(
        "there is no condition around this statement", session.at(path), "target: If(), or a statement under it"
    )


def _moved_out(session: Session, path: StatementPath, index: str) -> StatementPath:
    """Move a condition out of the loops around it, up to the one over this index."""
    around = [s.index for p in path.ancestors() if isinstance(s := session.at(p), For)]
    if index not in around:
        loops = f"loops around it: {', '.join(around)}" if around else "there is no loop around it"
        raise refuse(f"the condition is not in a loop over `{index}`", session.at(path), loops, code="OG601")
    while True:
        outer = session.at(path.parent)
        path = _out_of_guard(session, path) if isinstance(outer, If) else _out_of_loop(session, path)
        if isinstance(outer, For) and outer.index == index:
            return path


def _out_of_loop(session: Session, path: StatementPath) -> StatementPath:
    loop, guard = session.at(path.parent), session.at(path)
    assert isinstance(guard, If)
    if not isinstance(loop, For):
        raise refuse("there is something other than loops around the condition", loop)
    _require_alone(session, path, loop)
    tests = conjuncts(guard.test)
    moving = [t for t in tests if loop.index not in free_vars(t)]
    staying = [t for t in tests if t not in moving]
    if not moving or (guard.other and staying):
        raise refuse(f"the condition depends on `{loop.index}`, the index of the loop", guard)
    body = (replace(guard, test=conjunction(staying)),) if staying else guard.then
    steps = tuple(s for s in loop.body if is_proof_step(s))
    other: tuple[Stmt, ...] = ()
    if guard.other:
        copy = without_ids(replace(loop, body=guard.other, contract=()))
        other = (replace(copy, id=StatementId(parent=loop.id)),)
    inside = replace(loop, body=(*steps, *body), contract=())
    outer = If(conjunction(moving), (inside,), other, id=StatementId(parent=guard.id) if staying else guard.id)
    session.put(path.parent, outer)
    return path.parent


def _out_of_guard(session: Session, path: StatementPath) -> StatementPath:
    """Exchange a condition with the one around it."""
    outer, guard = session.at(path.parent), session.at(path)
    assert isinstance(outer, If) and isinstance(guard, If)
    if outer.other or guard.other or len(outer.then) != 1:
        raise refuse("the condition around this one has an else branch, or other statements under it", outer)
    session.put(path.parent, replace(guard, then=(replace(outer, then=guard.then),)))
    return path.parent


def _require_alone(session: Session, path: StatementPath, loop: For) -> None:
    beside = [s for k, s in enumerate(session.around(path)) if k != path.index and not is_proof_step(s)]
    if beside:
        help = "s.loop.fission puts it into a loop of its own; s.variable.inline replaces a constant by its value"
        raise refuse(f"the condition is not alone in the loop over `{loop.index}`", beside[0], help)


def _moved_in(session: Session, path: StatementPath, index: str) -> StatementPath:
    """Move a condition into loops under it, down to the one over this index."""
    guard = session.at(path)
    assert isinstance(guard, If)
    if not _has_loop(guard, index):
        loops = [s.index for s in statements(guard.then) if isinstance(s, For)]
        inside = f"loops under it: {', '.join(loops)}" if loops else "there is no loop under it"
        raise refuse(f"there is no loop over `{index}` under the condition", guard, inside, code="OG601")
    while True:
        guard = session.at(path)
        assert isinstance(guard, If)
        if guard.other:
            raise refuse(
                "the condition has an else branch", guard, "s.instr.move_guard(…, out_of=…) moves both branches"
            )
        if len(guard.then) > 1:
            path = _distributed(session, path, guard, index)
            continue
        (inner,) = guard.then
        if isinstance(inner, If) and not inner.other:
            session.put(path, replace(inner, test=conjunction([*conjuncts(guard.test), *conjuncts(inner.test)])))
        elif isinstance(inner, For):
            if inner.index in free_vars(guard.test):
                raise refuse(f"the condition mentions another `{inner.index}` than the loop", guard, "s.loop.rename")
            session.put(path, replace(inner, body=(replace(guard, then=inner.body),), contract=()))
            path = path.child(0)
            if inner.index == index:
                return path
        else:
            raise refuse("there is something other than loops between the condition and the loop", inner)


def _distributed(session: Session, path: StatementPath, guard: If, index: str) -> StatementPath:
    """Give each statement under a condition a condition of its own; returns that of the statement with the loop."""
    for k, s in enumerate(guard.then):
        if used := bound_after(s) & body_free_vars(guard.then[k + 1 :]):
            message = f"`{min(used)}` is declared under the condition and used beside the loop"
            raise refuse(message, s, "s.variable.inline, or s.variable.init_detach and s.instr.move")
    at = next(k for k, s in enumerate(guard.then) if _has_loop(s, index))
    parts = [
        replace(guard, then=(s,), id=guard.id if k == at else StatementId(parent=guard.id))
        for k, s in enumerate(guard.then)
    ]
    session.put(path, *parts)
    return path.sibling(at)


def _has_loop(s: Stmt, index: str) -> bool:
    inside = [x for body in inner_bodies(s) for x in statements(body)]
    return any(isinstance(x, For) and x.index == index for x in (s, *inside))
