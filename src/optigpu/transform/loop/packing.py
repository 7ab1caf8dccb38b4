"""Packing: `loop.hoist_expr` copies what a loop reads of an array into a new array before the loop."""

from __future__ import annotations

from fractions import Fraction

from optigpu.script.editing import StatementPath, edit_body, insert_at
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Array, Expr, Index, Real, Var, is_float
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import Body, For, If, Stmt, Store
from optigpu.syntax.types import SCALAR_NAMES, Scalar
from optigpu.syntax.walk import code_exprs, map_stmt_exprs, rewrite, subexpressions
from optigpu.transform.step_results import StagedCopy, nest_at
from optigpu.transform.tools.array_declarations import array_decl
from optigpu.transform.tools.c_text import Size, as_expression
from optigpu.transform.tools.counted_loops import counted, iteration_number
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import cell, conjunction, up_to, value_of
from optigpu.transform.tools.unknown_names import no_such_name


@transformation
def hoist_expr(
    session: Session,
    target: TargetLike,
    name: str,
    *,
    read: str | None = None,
    before: TargetLike,
    indep: list[str] | None = None,
    outside: Size | None = None,
    elem: str | None = None,
) -> StagedCopy:
    """Copy what a statement reads from an array into a new array, before a loop, and read from there: packing. Conditions around
    the read are kept around the copy; with `outside`, cells for which they do not hold have this value. `elem`: the type of the
    elements of the copy, if it is another one, such as "tf32" of floats.

    Before:
        for (int i = 0; i < 4; i++) {
          for (int j = 0; j < 8; j++) {
            m[i][j] = b[2 * j];
          }
        }
    Step: s.loop.hoist_expr(Write("m"), "pb", read="b", before="i", indep=["i"])
    After:
        float pb[8];
        for (int j = 0; j < 8; j++) {
          pb[j] = b[2 * j];
        }
        for (int i = 0; i < 4; i++) {
          for (int j = 0; j < 8; j++) {
            m[i][j] = pb[j];
          }
        }

    Needs: the target reads the array `read` with one index expression, which does not depend on the loops in `indep`.
    Fails: when the array is written between the copy and the read.
    Returns: `declaration`, of the copy; `loop`, the outermost loop that fills it; `loops`, all of them. As a target, the
    declaration.
    """
    path = session.find(target, "read")
    dest = session.find(before, "for")
    value = None if outside is None else outside_value(outside, element_type(only_read(session, path, read)))
    if elem is not None and elem not in SCALAR_NAMES:
        raise no_such_name(f'elem="{elem}" is no type of numbers', elem, SCALAR_NAMES)
    kind = None if elem is None else SCALAR_NAMES[elem]
    return hoist_read(session, path, read, name, dest, indep or [], None, value, kind)


def outside_value(outside: Size, elem: Scalar) -> Expr:
    """The value that cells outside an array have in a copy; a whole number may stand for a float."""
    e = as_expression(outside)
    number = value_of(e)
    return e if number is None or not is_float(elem) else Real(Fraction(number))


def hoist_read(
    session: Session,
    path: StatementPath,
    array: str | None,
    name: str,
    dest: StatementPath,
    indep: list[str],
    order: list[str] | None,
    outside: Expr | None = None,
    elem: Scalar | None = None,
) -> StagedCopy:
    """Copy the values of an array read into a new array `name` before the loop at `dest`, and read from there.

    The new array has one dimension for each loop between `dest` and the read, except those in `indep`; `order` gives the order of
    their indices. Conditions around the read are kept around the copy. Where they do not hold, the copy is `outside`, if given.
    """
    if not path.inside(dest):
        raise refuse("the read is not inside the loop that the copy goes before", session.at(path))
    read = only_read(session, path, array)
    around = [(p, session.at(p)) for p in path.ancestors() if p == dest or p.inside(dest)]
    crossed = [s.index for _, s in around if isinstance(s, For)]
    for index in indep:
        if index not in crossed:
            raise no_such_name(f"indep=: no loop over `{index}` is between the copy and the read", index, crossed)
    loops = [s for _, s in around if isinstance(s, For) and s.index not in indep]
    if order is not None:
        loops.sort(key=lambda loop: order.index(loop.index) if loop.index in order else -1)
    hidden = {s.index for _, s in around if isinstance(s, For)} - {loop.index for loop in loops}
    if free_vars(read) & hidden:
        raise refuse(f"the read depends on {', '.join(sorted(free_vars(read) & hidden))}", session.at(path))
    fresh = session.fresh(name, path)
    dims = tuple(counted(loop).count for loop in loops)
    element = cell(fresh, [iteration_number(loop) for loop in loops])
    tests = _tests_around(path, [(p, s) for p, s in around if isinstance(s, If)], hidden)
    copy = _copy_loops(_guarded(Store(element, read), tests, outside), loops, hidden)
    decl, frees = array_decl(fresh, elem or element_type(read), dims)
    n = dest.index
    program = edit_body(session.program, path, lambda b: _with_read_replaced(b, path.index, read, element))
    program = edit_body(program, dest, lambda b: (*b[: n + 1], *frees, *b[n + 1 :]))
    session.update(insert_at(program, dest, decl, copy))
    return staged_copy(session, dest)


def staged_copy(session: Session, path: StatementPath) -> StagedCopy:
    """The result of a step that declares a copy at a path, and fills it by the next statement."""
    filling = path.sibling(1)
    return StagedCopy(session, session.at(path).id, session.handle(filling), nest_at(session, filling))


def _tests_around(path: StatementPath, guards: list[tuple[StatementPath, If]], hidden: set[str]) -> list[Expr]:
    """The conditions that are around a read, as far as they do not depend on hidden indices."""
    tests: list[Expr] = []
    for guard_path, guard in guards:
        if free_vars(guard.test) & hidden:
            continue
        if path.branch_of(guard_path) == 1:
            raise refuse("the read is in an else branch", guard)
        tests.append(guard.test)
    return tests


def _guarded(copy: Store, tests: list[Expr], outside: Expr | None) -> Stmt:
    """The copy under conditions; where one of them does not hold, `outside` in its place."""
    if outside is not None and tests:
        return If(conjunction(tests), (copy,), (Store(copy.target, outside),))
    out: Stmt = copy
    for test in reversed(tests):
        out = If(test, (out,))
    return out


def _copy_loops(copy: Stmt, loops: list[For], hidden: set[str]) -> Stmt:
    """The copy in loops with the same ranges as those around the read."""
    for loop in reversed(loops):
        if any(hidden & free_vars(e) for e in (loop.range.start, loop.range.bound)):
            raise refuse(f"the bounds of the loop over `{loop.index}` depend on another loop", loop)
        copy = up_to(loop.index, loop.range.bound, (copy,), loop.range.start)
    return copy


def _with_read_replaced(body: Body, index: int, old: Expr, new: Expr) -> Body:
    changed = map_stmt_exprs(body[index], lambda e: rewrite(e, lambda x: new if x == old else x))
    return (*body[:index], changed, *body[index + 1 :])


def only_read(session: Session, path: StatementPath, array: str | None) -> Index:
    """The one array element that a statement reads; of `array`, if it is given."""
    s = session.at(path)
    exprs = [s.value] if isinstance(s, Store) else code_exprs(s)
    reads: dict[Index, None] = {}
    for e in exprs:
        for x in subexpressions(e):
            if isinstance(x, Index) and isinstance(x.base, Var) and array in (None, x.base.name):
                reads[x] = None
    if array is not None and not reads:
        read = (
            x.base.name for e in exprs for x in subexpressions(e) if isinstance(x, Index) and isinstance(x.base, Var)
        )
        raise no_such_name(f"`{array}` is not read here", array, read, s)
    if len(reads) != 1:
        which = f"of `{array}` " if array else ""
        raise refuse(f"there are {len(reads)} different reads {which}here; name the array with read=…", s, code="OG602")
    return next(iter(reads))


def element_type(e: Index) -> Scalar:
    if isinstance(e.type, Scalar):
        return e.type
    if isinstance(e.base.type, Array):
        return e.base.type.elem
    raise refuse("the type of the read is not known")
