"""Index ranges: `loop.once`, `loop.split_range`, `loop.widen_range`, `loop.extend_range`, `loop.shift_range`, `loop.collapse` and
`loop.rename`."""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.script.editing import StatementPath
from optigpu.script.handles import Handle
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Cast, Expr, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import For, If, LoopRange
from optigpu.syntax.scopes import assigned_names
from optigpu.syntax.source import StatementId
from optigpu.syntax.substitution import substitute, substitute_body
from optigpu.syntax.types import INT64
from optigpu.syntax.walk import map_clauses
from optigpu.transform.loop.loop_targets import index_name, loop_at
from optigpu.transform.step_results import DividedLoop
from optigpu.transform.tools.c_text import Size, as_expression
from optigpu.transform.tools.changed_annotations import sink_steps
from optigpu.transform.tools.changed_permissions import PER_ITERATION
from optigpu.transform.tools.counted_loops import counted, counts_up_by_one, is_plain, substituted_contract
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import div, less, lit, minus, mod, plus, product, up_to, value_of


@transformation
def once(session: Session, target: TargetLike, *, index: str, until: TargetLike | None = None) -> Handle:
    """Put a statement, or all statements up to `until`, into a loop of one iteration, which `gpu.launch` can make a kernel of one
    block.

    Before:
        float x = b[0];
        a[0] = x;
    Step: s.loop.once("x", index="i", until=Write("a"))
    After:
        for (int i = 0; i < 1; i++) {
          float x = b[0];
          a[0] = x;
        }

    Needs: statements of one body. Fails: OG605 when a variable that they declare is used after them.
    Returns: the loop.
    """
    path = session.find(target, "decl")
    last = path if until is None else session.find(until)
    if path.sibling(last.index - path.index) != last or last.index < path.index:
        raise refuse("`until` is not in the same body after it", session.at(path))
    i, j = path.index, last.index + 1
    name = session.fresh(index, path)
    session.edit_body(path, lambda b: (*b[:i], up_to(name, lit(1), b[i:j]), *b[j:]))
    return session.handle(path)


@transformation
def split_range(session: Session, target: TargetLike, at: Size) -> DividedLoop:
    """Cut the range of a loop in two: one loop over the indices before `at`, then one from `at` on.

    Before:
        for (int i = 0; i < n; i++) {
          a[i] = 0.0f;
        }
    Step: s.loop.split_range("i", "n / 2")
    After:
        for (int i = 0; i < n / 2; i++) {
          a[i] = 0.0f;
        }
        for (int i = n / 2; i < n; i++) {
          a[i] = 0.0f;
        }

    Needs: a loop that counts up by one. Fails: when it is not proved that `at` is in the range.
    Returns: `first` and `second`, the two loops. As a target, the second one.
    """
    path, loop = loop_at(session, target)
    cut = as_expression(at)
    if (loop.range.relation, loop.range.op) != ("<", "+") or value_of(loop.range.amount) != 1:
        raise refuse("only a loop that counts up by one can be cut", loop)
    first = replace(loop, range=replace(loop.range, bound=cut))
    second = replace(loop, range=replace(loop.range, start=cut), id=StatementId(parent=loop.id))
    session.put(path, first, second)
    return DividedLoop(session, session.at(path.sibling(1)).id, session.handle(path))


@transformation
def widen_range(session: Session, target: TargetLike, start: Size) -> Handle:
    """Let a loop start earlier: what the additional iterations do changes nothing.

    Before:
        float x = b[0];
        for (int i = 1; i < 8; i++) {
          x = fmaxf(x, b[i]);
        }
        a[0] = x;
    Step: s.loop.widen_range("i", 0)
    After:
        float x = b[0];
        for (int i = 0; i < 8; i++) {
          x = fmaxf(x, b[i]);
        }
        a[0] = x;

    Needs: a loop that counts up by one. Fails: when the result changes.
    Returns: the loop.
    """
    path, loop = loop_at(session, target)
    if not counts_up_by_one(loop):
        raise refuse("only a loop that counts up by one can start earlier", loop)
    session.annotation_changes.incomplete.add(loop.id)
    session.put(path, replace(loop, range=replace(loop.range, start=as_expression(start)), contract=()))
    return session.handle(path)


@transformation
def extend_range(session: Session, target: TargetLike, count: Size) -> Handle:
    """Let a loop run for `count` iterations, and test in each of them whether the loop had it: a constant number of iterations can
    be divided among threads and registers.

    Before:
        float x = 0.0f;
        for (int i = 0; i < min(n, 8); i++) {
          x += a[i];
        }
        b[0] = x;
    Step: s.loop.extend_range("i", 8)
    After:
        float x = 0.0f;
        for (int i = 0; i < 8; i++) {
          if (i < min(n, 8)) {
            x += a[i];
          }
        }
        b[0] = x;

    Needs: a loop that counts up from 0 by one. Fails: when the loop may have more iterations.
    Returns: the loop.
    """
    path, loop = loop_at(session, target)
    if not is_plain(loop):
        raise refuse("only a loop that counts up from 0 by one can be extended", loop, "s.loop.shift_range")
    session.annotation_changes.incomplete.add(loop.id)
    guard = If(less(Var(loop.index), loop.range.bound), loop.body)
    session.put(path, replace(loop, range=replace(loop.range, bound=as_expression(count)), body=(guard,), contract=()))
    return session.handle(path)


@transformation
def shift_range(session: Session, target: TargetLike, by: Size | None = None, *, index: str | None = None) -> Handle:
    """Shift the index of a loop by `by`. Without `by`, let the loop count up from 0 by one. `index` renames it.

    Before:
        for (int i = 1; i <= 4; i++) {
          a[i] = 0.0f;
        }
    Step: s.loop.shift_range("i")
    After:
        for (int i = 0; i < 4; i++) {
          a[1 + i] = 0.0f;
        }

    Needs: a loop that counts by a constant. Fails: never for such loops.
    Returns: the loop.
    """
    path, loop = loop_at(session, target)
    name = loop.index if index is None else session.fresh(index, path)
    if by is None:
        c = counted(loop)
        value, range_ = c.value(Var(name)), LoopRange(lit(0), "<", c.count, "+", lit(1))
    else:
        b = as_expression(by)
        value = minus(Var(name), b)
        range_ = replace(loop.range, start=plus(loop.range.start, b), bound=plus(loop.range.bound, b))
    body = substitute_body(loop.body, {loop.index: value})
    contract = substituted_contract(loop, value)
    session.put(path, replace(loop, index=name, range=range_, body=body, contract=contract))
    return session.handle(path)


@transformation
def collapse(
    session: Session, target: TargetLike, *, index: str | None = None, levels: int = 2, narrow: bool = False
) -> Handle:
    """Make one loop of nested loops: of two, or of as many as `levels` says. If the number of iterations depends on sizes, the
    index has 64 bits, unless it is to be `narrow`.

    Before:
        for (int i = 0; i < 2; i++) {
          for (int j = 0; j < 8; j++) {
            a[i * 8 + j] = 0.0f;
          }
        }
    Step: s.loop.collapse("i", index="t")
    After:
        for (int t = 0; t < 16; t++) {
          a[t / 8 * 8 + t % 8] = 0.0f;
        }

    Needs: loops each of which has the next one as its whole body, with bounds that do not depend on each other. There may be a
    condition around the next one, which is tested in its iterations then.
    Fails: when an inner loop may have no iteration; OG336 when the number of all iterations may not fit the index.
    Returns: the loop.
    """
    if levels < 2:
        raise refuse("at least two loops become one", code="OG604")
    path, loop = loop_at(session, target)
    nest = _nest(session, path, levels)
    path, loop = loop_at(session, session.handle(path))
    counts = [counted(x) for x in nest]
    t = session.fresh(index or "".join(x.index for x in nest), path)
    indices: dict[str, Expr] = {}
    number: Expr = Var(t)  # of the iteration of the loops down to the next one
    for k in reversed(range(levels)):
        size = counts[k].count
        indices[nest[k].index] = counts[k].value(mod(number, size) if k else number)
        number = div(number, size)
    count, width = product([c.count for c in counts]), loop.index_type
    if value_of(count) is None and not narrow:  # a product of 32-bit counts may need 64 bits
        count, width = product([Cast(INT64, counts[0].count), *(c.count for c in counts[1:])]), INT64
        indices = {x.index: Cast(x.index_type, indices[x.index]) for x in nest}
    own = tuple(c for c in nest[-1].contract if c.kind in PER_ITERATION or c.kind == "invariant")
    contract = map_clauses(own, lambda e: substitute(e, indices))
    session.annotation_changes.incomplete.add(loop.id)
    body = substitute_body(nest[-1].body, indices)
    session.put(path, replace(up_to(t, count, body, like=loop), contract=contract, index_type=width))
    return session.handle(path)


def _nest(session: Session, path: StatementPath, levels: int) -> list[For]:
    """Loops that are the whole body of each other, outermost first; steps of proofs between them move inwards."""
    top = path
    for level in range(levels):
        _, loop = loop_at(session, session.handle(path))
        nested = [k for k, x in enumerate(loop.body) if isinstance(x, For)]
        if level + 1 < levels:
            if _sink_guard(session, path):
                nested = [0]
            if len(nested) == 1:
                sink_steps(session, path.child(nested[0]))
                _, loop = loop_at(session, session.handle(path))
            if len(loop.body) != 1 or not isinstance(loop.body[0], For):
                raise refuse("there must be exactly one loop inside", loop, "s.loop.fission separates them")
            path = path.child(0)
    out: list[For] = []
    for level in range(levels):
        _, loop = loop_at(session, session.handle(StatementPath(top.function, (*top.positions, *((0, 0),) * level))))
        r = loop.range
        if moving := {x.index for x in out} & (free_vars(r.start) | free_vars(r.bound)):
            raise refuse(f"the bounds of the loop over `{loop.index}` depend on `{min(moving)}`", loop)
        out.append(loop)
    return out


def _sink_guard(session: Session, path: StatementPath) -> bool:
    """Test a condition that is around the whole inner loop in its iterations. Returns whether there was one."""
    _, loop = loop_at(session, session.handle(path))
    match loop.body:
        case (If(test, (For() as inner,), ()) as guard,) if not assigned_names((inner,)) & free_vars(test):
            session.put(path.child(0), replace(inner, body=(replace(guard, then=inner.body),)))
            return True
        case _:
            return False


@transformation
def rename(session: Session, target: TargetLike, index: str) -> Handle:
    """Rename the index of a loop.

    Before:
        for (int i = 0; i < n; i++) {
          a[i] = 0.0f;
        }
    Step: s.loop.rename("i", "row")
    After:
        for (int row = 0; row < n; row++) {
          a[row] = 0.0f;
        }

    Needs: a loop. Fails: never; a name that is in use gets a number.
    Returns: the loop.
    """
    path, loop = loop_at(session, target)
    name = index_name(session, index, path, loop)
    body = substitute_body(loop.body, {loop.index: Var(name)})
    contract = substituted_contract(loop, Var(name))
    session.put(path, replace(loop, index=name, body=body, contract=contract))
    return session.handle(path)
