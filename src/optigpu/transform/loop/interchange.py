"""Loop interchange: `loop.reorder` and `loop.swap`."""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.script.editing import StatementPath
from optigpu.script.resolution import ambiguous
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import Body, For, If
from optigpu.transform.loop.fission_fusion import split_loop_at
from optigpu.transform.loop.loop_targets import loop_at
from optigpu.transform.step_results import LoopNest
from optigpu.transform.tools.changed_annotations import sink_steps
from optigpu.transform.tools.refusal import refuse


@transformation
def reorder(session: Session, *order: str, at: TargetLike | None = None) -> LoopNest:
    """Put nested loops in another order, outermost first. Statements between the loops are split off into loops of their own;
    variables that cross the split become arrays.

    Before:
        for (int i = 0; i < 4; i++) {
          for (int j = 0; j < n; j++) {
            a[j] = b[j] + 4.0f;
          }
        }
    Step: s.loop.reorder("j", "i")
    After:
        for (int j = 0; j < n; j++) {
          for (int i = 0; i < 4; i++) {
            a[j] = b[j] + 4.0f;
          }
        }

    Needs: the named loops form one nest; if several nests have them, `at` is a statement inside the one that is meant.
    Fails: when the result depends on the order of the iterations.
    Returns: `nest`, the named loops, outermost first. As a target, the outermost of them.
    """
    innermost = session.handle(_innermost(session, order, at))
    for position, index in enumerate(order):  # bring each loop up to its position
        while True:
            nest = _nest_around(session, innermost.path(), order)
            current = [_index_at(session, p) for p in nest].index(index)
            if current <= position:
                break
            _swap_with_outer(session, nest[current])
    return _nest_result(session, _nest_around(session, innermost.path(), order))


@transformation
def swap(session: Session, target: TargetLike) -> LoopNest:
    """Exchange a loop with the loop inside it.

    Before:
        for (int i = 0; i < 4; i++) {
          for (int j = 0; j < n; j++) {
            a[j] = b[j] + 4.0f;
          }
        }
    Step: s.loop.swap("i")
    After:
        for (int j = 0; j < n; j++) {
          for (int i = 0; i < 4; i++) {
            a[j] = b[j] + 4.0f;
          }
        }

    Needs: exactly one loop directly inside; other statements beside it are split off into loops of their own.
    Fails: when the result depends on the order of the iterations, or the inner bounds on the outer index.
    Returns: `nest`, the two loops, outermost first. As a target, the outer one.
    """
    path, loop = loop_at(session, target)
    inner = [k for k, x in enumerate(loop.body) if isinstance(x, For)]
    if len(inner) != 1:
        raise refuse(f"`{loop.index}` has {len(inner)} loops directly inside: nothing to swap with", loop)
    inside = loop.body[inner[0]]
    assert isinstance(inside, For)
    outermost = _swap_with_outer(session, path.child(inner[0]))
    return _nest_result(session, _nest_around(session, outermost, (loop.index, inside.index))[-2:])


def _nest_result(session: Session, nest: list[StatementPath]) -> LoopNest:
    loops = tuple(map(session.handle, nest))
    return LoopNest(session, loops[0].id, loops)


def _innermost(session: Session, order: tuple[str, ...], at: TargetLike | None) -> StatementPath:
    """The innermost loop of the one nest that has all these indices."""
    if len(order) < 2:
        raise refuse("name at least two loops", code="OG604")
    candidates: list[StatementPath] = []
    for index in dict.fromkeys(order):
        for path in session.find_all(index, "for"):
            around = [_index_at(session, p) for p in [*path.ancestors(), path]]
            if {*order} <= {*around}:
                candidates.append(path)
    if at is not None:
        inside = session.find(at)
        candidates = [p for p in candidates if inside == p or inside.inside(p)]
    innermost = [p for p in candidates if not any(q.inside(p) for q in candidates)]
    if not innermost:
        raise refuse(f"no nest of loops has all of {', '.join(order)}", code="OG601")
    if len(innermost) > 1:
        message = f"{len(innermost)} nests have the loops {', '.join(order)}"
        raise ambiguous("OG602", message, [(p, session.at(p)) for p in innermost], "say which: at=Write(…)")
    return innermost[0]


def _nest_around(session: Session, path: StatementPath, order: tuple[str, ...]) -> list[StatementPath]:
    """The loops with these indices around and inside a loop, outermost first."""
    nest = [p for p in [*path.ancestors(), path] if _index_at(session, p) in order]
    while True:
        loop = session.at(nest[-1])
        assert isinstance(loop, For)
        inside = _next_loop(nest[-1], loop.body, order)
        if inside is None:
            return nest
        nest.append(inside)


def _next_loop(around: StatementPath, body: Body, order: tuple[str, ...]) -> StatementPath | None:
    """The next loop of the nest, directly in a body or under guards."""
    for k, s in enumerate(body):
        if isinstance(s, For) and s.index in order:
            return around.child(k)
        if isinstance(s, If) and (inside := _next_loop(around.child(k), s.then, order)) is not None:
            return inside
    return None


def _index_at(session: Session, path: StatementPath) -> str | None:
    s = session.at(path)
    return s.index if isinstance(s, For) else None


def _swap_with_outer(session: Session, inner: StatementPath) -> StatementPath:
    """Swap two loops between which there are only guards and neighbours of the inner one; returns the path of the new outer one."""
    moved = session.handle(inner)
    while isinstance(session.at(inner.parent), If):
        if len(session.around(inner)) > 1:
            _isolate(session, inner)
        _sink_guard(session, moved.path())
        inner = moved.path()
    outer = inner.parent
    inner = sink_steps(session, inner)
    if len(session.around(inner)) > 1:
        _isolate(session, inner)
        inner = moved.path()
        outer = inner.parent
    a, b = session.at(outer), session.at(inner)
    assert isinstance(a, For) and isinstance(b, For)
    if a.index in free_vars(b.range.start) | free_vars(b.range.bound):
        raise refuse(f"the bounds of the loop over `{b.index}` depend on `{a.index}`", b)
    session.put(outer, replace(b, body=(replace(a, body=b.body, contract=()),), contract=()))
    return outer


def _sink_guard(session: Session, inner: StatementPath) -> None:
    """Rewrite `if (c) for …` as `for … if (c)`."""
    loop, guard = session.at(inner), session.at(inner.parent)
    assert isinstance(loop, For)
    if not isinstance(guard, If) or guard.other or len(guard.then) != 1 or loop.index in free_vars(guard.test):
        raise refuse("there is something other than loops between the two", guard, "move it out first")
    session.put(inner.parent, replace(loop, body=(replace(guard, then=loop.body),), contract=()))


def _isolate(session: Session, inner: StatementPath) -> None:
    """Make a loop the only statement of the loop around it, by fission on both sides."""
    isolated = session.handle(inner)
    if inner.index > 0:
        split_loop_at(session, inner)
        inner = isolated.path()
    if inner.index + 1 < len(session.around(inner)):
        split_loop_at(session, inner.sibling(1))
